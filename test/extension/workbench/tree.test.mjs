// The view: empty, and with 20 loops that run and 300 that have ended, at its default width.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until, Workbench } from './workbench.mjs';

let wb, w, page;
const tasks = ['make the tests pass', 'Port the parser to the new grammar and keep every error message', '全部のテストを通してください、そして文書を直す', 'fix', 'Upgrade dependencies, one commit each'];

before(async () => {
  wb = await Workbench.start();
  w = await wb.open();
  page = w.page;
}, { timeout: 600_000 });

after(() => wb?.stop());

const rows = () => page.locator('.pane-body .monaco-list-row');

// themed takes a picture in each theme.
async function themed(name) {
  for (const [short, theme, base] of [['light', 'Default Light Modern', 'vs'], ['dark', 'Default Dark Modern', 'vs-dark'], ['high-contrast', 'Default High Contrast', 'hc-black']]) {
    await w.run(`await vscode.workspace.getConfiguration('workbench').update('colorTheme', ${JSON.stringify(theme)}, true)`);
    await page.locator(`.monaco-workbench.${base}`).waitFor();
    await w.shot(`${name}-${short}`);
  }
}

test('without a loop the view says what a loop is and how to start one', async () => {
  await w.command('cursorRalph.show');
  await page.locator('.pane-body .welcome-view-content .monaco-button', { hasText: 'Start a Loop' }).first().waitFor();
  await themed('empty');
});

test('20 loops that run and 300 that have ended: what each does is read at the default width', async () => {
  for (let i = 0; i < 300; i += 20) {
    await Promise.all(Array.from({ length: 20 }, async (_, n) => {
      wb.loop(`old-${i + n}`, { prompt: tasks[n % tasks.length], iterations: n });
      assert.deepEqual(await wb.ralph('cancel', `old-${i + n}`).then(({ code, stderr }) => ({ code, stderr })), { code: 0, stderr: '' });
    }));
  }
  for (let i = 0; i < 20; i++) wb.loop(`new-${i}`, { prompt: tasks[i % tasks.length], iterations: i, ...(i < 3 && { status: 'waiting', reason: 'type the continue line' }), started_at: new Date(Date.now() - i * 60_000).toISOString() });
  await w.wantChip(/^20 loops • 3 need you/);
  await rows().filter({ hasText: 'Running' }).first().waitFor();
  await themed('tree');
  // The font here, DejaVu Sans, is wider than those of the editors: a letter or two may be cut.
  const cut = await page.locator('.pane-body .monaco-list-row[aria-level="2"] .monaco-icon-label-container', { hasText: 'running' }).evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 15).map((e) => e.innerText));
  assert.deepEqual(cut, []);
  await w.chip().click();
  await w.row('make the tests pass').waitFor();
  await themed('menu');
  await page.keyboard.press('Escape');
});

test('a row stays where it is when its loop goes on', async () => {
  const order = () => rows().evaluateAll((all) => all.slice(0, 8).map((e) => e.getAttribute('aria-label')?.split(' ')[0]));
  const before = await order();
  wb.loop('new-7', { prompt: tasks[2], iterations: 15, started_at: new Date(Date.now() - 7 * 60_000).toISOString() });
  await until('the change', () => rows().filter({ hasText: '16/20' }).count());
  assert.deepEqual(await order(), before);
});
