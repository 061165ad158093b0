// What the extension shows, and what its menu and form do.
import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { until, Workbench } from './workbench.mjs';

const hostile = '<img src=x onerror="document.title=1"> <script>alert(1)</script> [click](command:workbench.action.quit) $(sync~spin) https://evil.example `x` # y';
let wb, w, page;

before(async () => {
  wb = await Workbench.start();
  w = await wb.open();
  page = w.page;
}, { timeout: 600_000 });

after(() => wb?.stop());

test('the chip follows a change within a second', async () => {
  wb.loop('chat-1');
  await w.wantChip('Loop • Running • Iter 3/20');
  const took = [];
  for (const [command, want] of Array(3).fill([['pause', 'Loop • Pausing • Iter 3/20'], ['resume', 'Loop • Running • Iter 3/20']]).flat()) {
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
  await w.wantChip(/Pausing/);
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
  await w.wantChip('2 loops');
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
    ...(i === 5 ? { verification: { id: 'x', passed: false, exit: 1, seconds: 2, gate: 'verify', output: '--- FAIL: TestParser' } } : {}),
  }));
};

// report opens the report of a loop, and returns its frame.
async function report(chat, selector = 'main[data-loop]') {
  const { id } = await wb.status(chat);
  await w.command('cursorRalph.details', id);
  return until('the report', async () => {
    for (const f of page.frames()) if (await f.locator(`main[data-loop="${id}"]`).count().catch(() => 0)) return (await f.locator(selector).count()) > 0 && f;
    return undefined;
  });
}

test('the report charts the iterations, by mouse and keyboard, and keeps what is open', async () => {
  wb.loop('chat-1', { id: 'k7f2m', iterations: 8, history: history() });
  await w.wantChip(/Iter 9\/20/);
  let page1 = await report('chat-1', '.bar.refused');
  assert.match(await page1.locator('a:has(.bar.refused)').getAttribute('aria-label'), /^Iteration 6: .*promise refused: the verification failed/);
  await page1.locator('#bar-8').focus();
  await page.keyboard.press('ArrowLeft');
  assert.match(await page1.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Iteration 7:/);
  await page.keyboard.press('Enter');
  await page1.locator('#iteration-7[open] button.file', { hasText: 'part6.go' }).waitFor();
  await page1.locator('#bar-6').click();
  await page1.locator('#iteration-6[open] pre', { hasText: '--- FAIL: TestParser' }).waitFor();
  const open = (frame) => frame.locator('details[open]').evaluateAll((all) => all.map((d) => d.id));
  wb.loop('chat-1', { id: 'k7f2m', iterations: 9, history: [...history(), { ...history()[7], iteration: 9 }] });
  await page1.locator('#iteration-9').waitFor();
  assert.deepEqual(await open(page1), ['iteration-7', 'iteration-6'], 'after an update');
  await w.openFile('main.go'); // another tab
  page1 = await report('chat-1', '#iteration-7[open]');
  assert.deepEqual(await open(page1), ['iteration-7', 'iteration-6'], 'after another tab');
  await page1.locator('#act-pause').click();
  await w.wantChip(/Pausing/);
  await page1.locator('#act-resume').waitFor();
  await wb.ralph('resume', 'chat-1');
  await w.command('cursorRalph.show');
  await page.locator('.pane-body .monaco-list-row', { hasText: 'make the tests' }).first().locator('.monaco-tl-twistie').click();
  await page.locator('.pane-body .monaco-list-row', { hasText: 'Iteration 6' }).waitFor();
  await page1.evaluate(() => scrollTo(0, 0));
  await themes(page1);
});

// themes looks at the window in each theme: the page has the editor's colors.
async function themes(frame) {
  const background = () => getComputedStyle(document.documentElement).getPropertyValue('--vscode-editor-background');
  const seen = [];
  for (const [name, theme, base] of [['light', 'Default Light Modern', 'vs'], ['dark', 'Default Dark Modern', 'vs-dark'], ['high-contrast', 'Default High Contrast', 'hc-black']]) {
    await w.run(`await vscode.workspace.getConfiguration('workbench').update('colorTheme', ${JSON.stringify(theme)}, true)`);
    await page.locator(`.monaco-workbench.${base}`).waitFor();
    const now = await until(theme, async () => {
      const color = await frame.evaluate(background);
      return !seen.includes(color) && color;
    });
    seen.push(now);
    await page.mouse.move(700, 450); // on nothing that shows a hint
    await page.locator('.part.statusbar').evaluate((bar) => Promise.all(bar.getAnimations().map((a) => a.finished.catch(() => undefined))));
    await w.shot(name);
  }
}

test('a hostile task is text in the view and on its report', async () => {
  wb.loop('chat-2', { prompt: hostile, iterations: 3 });
  await w.command('cursorRalph.show');
  const row = page.locator('.pane-body .monaco-list-row', { hasText: '<img src=x' });
  await row.waitFor();
  assert.equal(await row.locator('img, script, a[href*="evil"], .label-name .codicon').count(), 0);
  const shown = await report('chat-2');
  assert.match(await shown.locator('main').innerText(), /<script>alert\(1\)<\/script>/);
  assert.equal(await shown.locator('main img, main script, a[href*="evil"], a[href*="command"]').count(), 0);
  await wb.ralph('cancel', 'chat-2');
});

test('a loop is started in a document, word for word, and a pending one begins from the view', async () => {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill('>Cursor Ralph: Start a Loop');
  await w.row('Start a Loop').click();
  await page.locator('.codelens-decoration', { hasText: 'Start in a new chat' }).waitFor();
  const text = await w.run('return vscode.window.activeTextEditor.document.getText()');
  assert.match(text, /^max-iterations: 20$/m);
  assert.match(text, /^verify: go test \.\/\.\.\.$/m);
  await w.shot('form');
  const task = '--replace everything:\n\n- one\n  - two';
  await w.run(`const e = vscode.window.activeTextEditor; await e.edit((b) => b.replace(new vscode.Range(0, 0, 99, 0), ${JSON.stringify(text.replace('20', '7') + task + '\n')}))`);
  await w.cursor('play', 'composer.createNew', 'throws'); // so that it stays pending
  await page.locator('.codelens-decoration a', { hasText: 'Start in a new chat' }).click();
  await w.notice('No chat was opened').waitFor();
  const loops = JSON.parse((await wb.ralph('list', '--json')).stdout);
  const ours = loops.find((l) => l.prompt === task);
  assert.deepEqual([ours?.status, ours?.max_iterations, ours?.verify], ['pending', 7, 'go test ./...']);
  assert.equal(await w.run('return vscode.workspace.textDocuments.filter((d) => d.isUntitled && d.getText().startsWith("---")).length'), 0);
  await w.cursor('play', 'composer.createNew', null);
  await w.command('cursorRalph.show');
  const row = page.locator('.pane-body .monaco-list-row', { hasText: '0/20 pending'.replace('20', '7') });
  await row.hover();
  await row.locator('.action-label[aria-label^="Begin in a Chat"]').click();
  await w.row('In a new chat').click();
  await until('it is submitted', async () => (await w.cursor('seen')).submitted.some((m) => m.text === `/ralph-loop --continue ${ours.id}`));
});

test('a start that is refused says why, and keeps the document', async () => {
  await w.command('cursorRalph.start');
  await w.run(`const e = vscode.window.activeTextEditor; await e.edit((b) => { b.replace(new vscode.Range(0, 0, 99, 0), '---\\nverify: no-such-program now\\n---\\npaint it\\n'); })`);
  await page.locator('.codelens-decoration a', { hasText: 'Start in a new chat' }).click();
  await w.notice('the command of --verify cannot run: exit 127').waitFor();
  assert.match(await w.run('return vscode.window.activeTextEditor.document.getText()'), /paint it/);
  assert.doesNotMatch((await wb.ralph('list', '--json')).stdout, /paint it/);
});

test('a dead program does not look healthy, nor a missing one', async () => {
  const program = (value) => w.run(`await vscode.workspace.getConfiguration('cursorRalph').update('program', ${JSON.stringify(value)}, true)`);
  await program('/nowhere/cursor-ralph');
  await w.wantChip('Loop • Trouble');
  await page.locator('.pane-body', { hasText: 'the setting cursorRalph.program is /nowhere/cursor-ralph' }).first().waitFor();
  const began = Date.now();
  await w.chip().click();
  await w.notice('the setting cursorRalph.program is /nowhere/cursor-ralph').waitFor();
  assert.ok(Date.now() - began < 5000, 'the menu does not wait for it');
  writeFileSync(wb.at('dying'), `#!/bin/sh\n[ "$1" = events ] || exit 1\n[ -e ${wb.at('died')} ] && exit 3\ntouch ${wb.at('died')}\nexec timeout 1 "${wb.program}" "$@"\n`);
  chmodSync(wb.at('dying'), 0o755);
  await program(wb.at('dying'));
  await w.wantChip('Loop • Trouble', 120_000);
  await until('the reason', async () => /exit code 3/.test(await page.locator('.pane-body').first().innerText()));
  await program('');
  await w.wantChip(/^(?!Loop • Trouble)./);
});
