// What the extension shows, and what its menu and form do.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { until, Workbench } from './workbench.mjs';

const hostile = '<img src=x onerror="document.title=1"> <script>alert(1)</script> [click](command:workbench.action.quit) $(sync~spin) https://evil.example `x` # y';
let wb, w, page;

before(async () => {
  wb = await Workbench.start();
  w = await wb.open();
  page = w.page;
}, { timeout: 180_000 });

after(() => wb?.stop());

test('the chip follows a change within a second', async () => {
  wb.loop('chat-1');
  await w.wantChip('Loop • Running • Iter 3/20');
  const took = [];
  for (const [command, want] of Array(3).fill([['pause', 'Loop • Paused (user) • Iter 3/20'], ['resume', 'Loop • Running • Iter 3/20']]).flat()) {
    assert.equal((await wb.ralph(command, 'chat-1')).code, 0);
    const began = Date.now();
    await w.wantChip(want);
    took.push(Date.now() - began);
  }
  // The median: other tests may use the processors.
  assert.ok(took.sort((a, b) => a - b)[2] < 1000, `the chip took ${took} ms`);
});

test('the menu pauses, resumes, adds context and cancels', async () => {
  await w.pick('Pause');
  await until('paused', async () => (await wb.status('chat-1')).status === 'paused');
  await w.wantChip(/Paused/);
  await w.chip().click();
  await w.row('Resume').waitFor();
  await w.shot('menu');
  await page.keyboard.press('Escape');
  await wb.ralph('resume', 'chat-1');
  await w.wantChip(/Running/);
  const text = '-- the database; $(touch /tmp/x) is on "5433"';
  await w.steer('Add context', text);
  await until('the context', () => readFileSync(wb.at('ralph/cursor-ralph-loop-chat-1.json'), 'utf8').includes(JSON.stringify(text).slice(1, -1)));
  wb.loop('chat-3');
  await w.wantChip('2 loops • 2 running');
  await wb.ralph('cancel', 'chat-3');
  await w.wantChip(/Running/);
});

test('the rendezvous is private', async () => {
  const folder = wb.at('ralph/cursor-ralph-rendezvous');
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  for (const name of readdirSync(folder)) assert.equal(statSync(path.join(folder, name)).mode & 0o777, 0o600, name);
});

const history = () => {
  const began = Date.now() - 6e5;
  const at = (minutes) => new Date(began + minutes * 6e4).toISOString();
  return Array.from({ length: 8 }, (_, i) => ({
    iteration: i + 1, started_at: at(i), ended_at: at(i + 1), duration_seconds: 20 + 13 * ((i * 5) % 7), promise: i === 5 ? 'refused' : 'none', refused: i === 5 ? 'the verification failed' : '',
    tools: { edit_file: i, run_terminal_cmd: 2 }, files: ['main.go', `part${i}.go`], action: 'follow-up',
  }));
};

test('the detail page charts the iterations', async () => {
  wb.loop('chat-1', { iterations: 8, history: history() });
  await w.wantChip(/Iter 9\/20/);
  await w.command('cursorRalph.details', (await wb.status('chat-1')).id);
  const detail = await until('the bars', async () => {
    for (const f of page.frames()) if ((await f.locator('rect').count().catch(() => 0)) === 8) return f;
    return undefined;
  });
  const bar = detail.locator('rect.refused');
  assert.match(await bar.getAttribute('aria-label'), /^Iteration 6: .*promise refused: the verification failed/);
  await detail.locator('rect[tabindex="0"]').focus();
  await page.keyboard.press('ArrowLeft');
  assert.match(await detail.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Iteration 7:/);
  await page.keyboard.press('Enter');
  await detail.locator('#row-7 details[open] button.link', { hasText: 'part6.go' }).waitFor();
  await w.command('cursorRalph.show');
  await page.locator('.pane-body .monaco-list-row', { hasText: 'make the tests pass' }).first().click();
  await page.locator('.pane-body .monaco-list-row', { hasText: 'Iteration 6' }).waitFor();
  await detail.evaluate(() => scrollTo(0, 0));
  await themes(detail);
});

// themes looks at the window in each theme: the page has the editor's colors.
async function themes(detail) {
  const background = () => getComputedStyle(document.documentElement).getPropertyValue('--vscode-editor-background');
  const seen = [];
  for (const [name, theme, base] of [['light', 'Default Light Modern', 'vs'], ['dark', 'Default Dark Modern', 'vs-dark'], ['high-contrast', 'Default High Contrast', 'hc-black']]) {
    await w.run(`await vscode.workspace.getConfiguration('workbench').update('colorTheme', ${JSON.stringify(theme)}, true)`);
    await page.locator(`.monaco-workbench.${base}`).waitFor();
    const now = await until(theme, async () => {
      const color = await detail.evaluate(background);
      return !seen.includes(color) && color;
    });
    seen.push(now);
    await page.mouse.move(700, 450); // on nothing that shows a hint
    await page.locator('.part.statusbar').evaluate((bar) => Promise.all(bar.getAnimations().map((a) => a.finished.catch(() => undefined))));
    await w.shot(name);
  }
}

test('a hostile task is text in the view and on the detail page', async () => {
  wb.loop('chat-2', { prompt: hostile, iterations: 3 });
  await w.command('cursorRalph.show');
  const row = page.locator('.pane-body .monaco-list-row', { hasText: '<img src=x' });
  await row.waitFor();
  assert.equal(await row.locator('img, script, a[href*="evil"], .label-name .codicon').count(), 0);
  const id = (await wb.status('chat-2')).id;
  await w.command('cursorRalph.details', id);
  const detail = await until('its page', async () => {
    for (const f of page.frames()) if (await f.locator('#task', { hasText: '<script>' }).count().catch(() => 0)) return f;
    return undefined;
  });
  await until('the task', async () => (await detail.locator('#task').innerText()).includes('<script>alert(1)</script>'));
  assert.equal(await detail.locator('#task *').count(), 0);
  assert.equal(await detail.locator('a').count(), 0);
  await wb.ralph('cancel', 'chat-2');
});

test('the start form starts a loop', async () => {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill('>Ralph Loop: Start a Loop');
  await w.row('Start a Loop').click();
  const answer = async (text) => {
    await page.locator('.quick-input-widget input').fill(text);
    await page.keyboard.press('Enter');
  };
  await page.locator('.quick-input-widget', { hasText: 'the task' }).waitFor();
  await answer('--replace everything');
  await w.row('go test ./...').click();
  await page.locator('.quick-input-widget', { hasText: 'iterations at most' }).waitFor();
  await answer('7');
  await page.locator('.quick-input-widget', { hasText: 'time at most' }).waitFor();
  await answer('2h');
  await page.locator('.quick-input-widget', { hasText: 'iterations in one chat' }).waitFor();
  await answer('0');
  await w.notice('The loop is pending').waitFor();
  const loops = JSON.parse((await wb.ralph('list', '--json')).stdout);
  const ours = loops.find((l) => l.prompt === '--replace everything');
  assert.deepEqual([ours?.status, ours?.max_iterations, ours?.verify], ['pending', 7, 'go test ./...']);
});
