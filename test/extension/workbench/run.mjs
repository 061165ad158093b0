// The extension in a real workbench: node --test run.mjs, with WORKBENCH, VSIX, INPUTS and SHOTS in the environment.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { frame, open, start, until } from './workbench.mjs';

const root = mkdtempSync('/tmp/wb-');
const hostile = '<img src=x onerror="document.title=1"> <script>alert(1)</script> [click](command:workbench.action.quit) $(sync~spin) https://evil.example `x` # y';
let server, browser, page;

before(async () => {
  server = await start(root, process.env.VSIX, process.env.INPUTS);
  ({ browser, page } = await open(server.url));
  await until('the extension host', () => server.run('return 1'), 60_000);
  await until('the extension', () => server.run('return vscode.extensions.getExtension("cursor-ralph.cursor-ralph").isActive'), 60_000);
}, { timeout: 120_000 });

after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

const chip = () => page.locator('[id="cursor-ralph.cursor-ralph.cursorRalph.chip"]');
const chipText = async () => (await chip().count()) && (await chip().innerText()).trim();
const notice = (text) => page.locator('.notifications-toasts .notification-list-item', { hasText: text });
const shot = async (name) => {
  if (!process.env.SHOTS) return;
  mkdirSync(process.env.SHOTS, { recursive: true });
  await page.screenshot({ path: path.join(process.env.SHOTS, `${name}.png`) });
};

// ralph runs the carried cursor-ralph, as a user in a terminal would.
const ralph = (...args) => new Promise((resolve) => execFile(server.ralph, args, { env: server.env, cwd: path.join(root, 'ws') }, (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr })));
const status = async (chat) => JSON.parse((await ralph('status', chat, '--json')).stdout);

// loop writes a state file, as the hook or a person does.
const loop = (chat, more = {}) => {
  const state = { prompt: 'make the tests pass', max_iterations: 20, completion_promise: 'COMPLETE', iterations: 2, session_iterations: 2, stop: false, last_output: '', conversation_id: chat, workspace: path.join(root, 'ws'), started_at: new Date(Date.now() - 60_000).toISOString(), last_event_at: new Date().toISOString(), ...more };
  writeFileSync(path.join(root, 'ralph', `cursor-ralph-loop-${chat}.json`), JSON.stringify(state), { mode: 0o600 });
};

const pick = async (label) => {
  await chip().click();
  await page.locator('.quick-input-widget .monaco-list-row', { hasText: label }).first().click();
};

test('the chip follows a change within a second', async () => {
  loop('chat-1');
  await until('the chip', async () => (await chipText()) === 'Loop • Running • Iter 3/20', 10_000);
  const took = [];
  for (const [command, want] of Array(3).fill([['pause', 'Loop • Paused (user) • Iter 3/20'], ['resume', 'Loop • Running • Iter 3/20']]).flat()) {
    assert.equal((await ralph(command, 'chat-1')).code, 0);
    const began = Date.now();
    await until(want, async () => (await chipText()) === want, 10_000);
    took.push(Date.now() - began);
  }
  // The median: other tests may use the processors.
  assert.ok(took.sort((a, b) => a - b)[2] < 1000, `the chip took ${took} ms`);
  await shot('chip');
});

test('the menu pauses, resumes, adds context and cancels', async () => {
  await pick('Pause');
  await until('paused', async () => (await status('chat-1')).status === 'paused');
  await until('the chip', async () => /Paused/.test(await chipText()));
  await chip().click();
  await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Resume' }).waitFor();
  await shot('menu');
  await page.keyboard.press('Escape');
  await ralph('resume', 'chat-1');
  await until('the chip', async () => /Running/.test(await chipText()));
  await pick('Add context');
  const text = '-- the database; $(touch /tmp/x) is on "5433"';
  await page.locator('.quick-input-widget input').fill(text);
  await page.keyboard.press('Enter');
  await until('the context', () => readFileSync(path.join(root, 'ralph/cursor-ralph-loop-chat-1.json'), 'utf8').includes(JSON.stringify(text).slice(1, -1)));
  loop('chat-3');
  await until('two loops', async () => (await chipText()) === '2 loops • 2 running');
  await ralph('cancel', 'chat-3');
  await until('the chip', async () => /Running/.test(await chipText()));
});

test('a delivery reaches the right chat while the focus is in a source file', async () => {
  const file = path.join(root, 'ws/main.go');
  await server.run(`await vscode.window.showTextDocument(vscode.Uri.file(${JSON.stringify(file)}))`);
  await page.locator('.monaco-editor .view-line').first().click();
  await server.command('composer.openComposer', 'chat-2');
  await page.locator('.monaco-editor .view-line').first().click();
  await server.run('await vscode.env.clipboard.writeText("what the user copied")');
  const injected = ralph('inject', 'chat-1', '--wait', '1m');
  const line = '/ralph-loop --continue chat-1';
  await notice('Press Enter in the chat').waitFor({ timeout: 40_000 }); // here no program can press a key
  const chat = await frame(page, '#input');
  assert.equal((await chat.locator('#input').innerText()).trim(), line);
  assert.equal(await chat.locator('#title').innerText(), 'Chat chat-1');
  assert.equal(await server.run('return vscode.env.clipboard.readText()'), 'what the user copied');
  await shot('delivery');
  await page.keyboard.press('Enter');
  const out = await injected;
  assert.equal(out.code, 0, out.stderr + out.stdout);
  assert.match(out.stdout, /typed by extension, and arrived/);
  await notice('Press Enter in the chat').waitFor({ state: 'detached' });
  const sent = await server.command('test.cursor.submitted');
  assert.deepEqual(sent.map((m) => [m.chat, m.text]), [['chat-1', line]]);
  assert.equal(await server.run('return vscode.window.visibleTextEditors[0].document.getText()'), 'package main\n');
  assert.equal(readFileSync(file, 'utf8'), 'package main\n');
});

test('where Cursor misbehaves nothing is put anywhere', async () => {
  for (const [command, how] of [['composer.openComposer', 'lies'], ['composer.focusComposer', 'throws'], ['composer.focusComposer', 'hangs'], ['composer.getOrderedSelectedComposerIds', 'missing']]) {
    await server.command('composer.openComposer', 'chat-2');
    await page.locator('.monaco-editor .view-line').first().click();
    await server.command('test.cursor.play', command, how);
    const out = await ralph('inject', 'chat-1', '--wait', '2s');
    await server.command('test.cursor.play', command, null);
    assert.equal(out.code, 1, `${command} ${how}`);
    assert.match(out.stderr, /extension: "?[a-z-]+"?|does not exist/, `${command} ${how}`);
    const chat = await frame(page, '#input');
    assert.equal((await chat.locator('#input').innerText()).trim(), '', `${command} ${how}`);
    assert.equal(await server.run('return vscode.window.visibleTextEditors[0].document.getText()'), 'package main\n', `${command} ${how}`);
  }
  // It says that the input has the focus, which it does not: the line goes nowhere, and no key is pressed.
  await server.command('composer.openComposer', 'chat-1');
  assert.equal((await server.command('test.cursor.submitted')).length, 1);
});

test('the rendezvous is private', async () => {
  const folder = path.join(root, 'ralph/cursor-ralph-rendezvous');
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  for (const name of readdirSync(folder)) assert.equal(statSync(path.join(folder, name)).mode & 0o777, 0o600, name);
});

test('a hostile task is text in the view and on the detail page', async () => {
  loop('chat-2', { prompt: hostile, iterations: 3 });
  await server.command('cursorRalph.show');
  const row = page.locator('.pane-body .monaco-list-row', { hasText: '<img src=x' });
  await row.waitFor();
  assert.equal(await row.locator('img, script, a[href*="evil"], .label-name .codicon').count(), 0);
  const id = (await status('chat-2')).id;
  await server.command('cursorRalph.details', id);
  const detail = await frame(page, '#chart-title');
  await until('the task', async () => (await detail.locator('#task').innerText()).includes('<script>alert(1)</script>'));
  assert.equal(await detail.locator('#task *').count(), 0);
  assert.equal(await detail.locator('a').count(), 0);
  await shot('hostile');
  await ralph('cancel', 'chat-2');
});

test('the detail page charts the iterations', async () => {
  const history = Array.from({ length: 8 }, (_, i) => ({ iteration: i + 1, started_at: new Date(Date.now() - 6e5 + i * 6e4).toISOString(), ended_at: new Date(Date.now() - 6e5 + (i + 1) * 6e4).toISOString(), duration_seconds: 20 + 13 * ((i * 5) % 7), promise: i === 5 ? 'refused' : 'none', refused: i === 5 ? 'the verification failed' : '', tools: { edit_file: i, run_terminal_cmd: 2 }, files: ['main.go', `part${i}.go`], action: 'follow-up' }));
  loop('chat-1', { iterations: 8, history });
  await until('the chip', async () => /Iter 9\/20/.test(await chipText()));
  const id = (await status('chat-1')).id;
  await server.command('cursorRalph.details', id);
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
  await server.command('cursorRalph.show');
  await page.locator('.pane-body .monaco-list-row', { hasText: 'make the tests pass' }).first().click();
  await page.locator('.pane-body .monaco-list-row', { hasText: 'Iteration 6' }).waitFor();
  await detail.evaluate(() => scrollTo(0, 0));
  for (const [name, theme] of [['light', 'Default Light Modern'], ['dark', 'Default Dark Modern'], ['high-contrast', 'Default High Contrast']]) {
    await server.run(`await vscode.workspace.getConfiguration('workbench').update('colorTheme', ${JSON.stringify(theme)}, true)`);
    await until(theme, () => detail.evaluate((n) => document.body.className.includes(n), { light: 'vscode-light', dark: 'vscode-dark', 'high-contrast': 'vscode-high-contrast' }[name]));
    await shot(`detail-${name}`);
  }
});

test('a loop of 23 iterations in 5 sessions is continued in its chat, wherever the focus is', async () => {
  for (const chat of ['chat-1', 'chat-2']) await ralph('cancel', chat);
  await server.command('test.cursor.agent', 23);
  await server.command('composer.openComposer', 'chat-3');
  await server.command('composer.focusComposer');
  const chat = await frame(page, '#input');
  const text = async () => (await chat.locator('#input').innerText()).trim();
  const line = '/ralph-loop --continue chat-3';
  const begin = '/ralph-loop "make it green" --max-iterations 30';
  await page.keyboard.insertText(begin);
  await page.keyboard.press('Enter');
  await until('the task is submitted', async () => (await server.command('test.cursor.submitted')).length === 1);
  const away = [
    () => page.locator('.tab', { hasText: 'main.go' }).click().then(() => page.locator('.monaco-editor .view-line').first().click()),
    () => server.command('workbench.action.terminal.new').then(() => server.command('workbench.action.terminal.focus')),
    () => server.command('composer.openComposer', 'chat-1').then(() => server.command('composer.focusComposer')),
    () => page.locator('.part.activitybar .action-label').first().click(),
  ];
  for (const [n, leave] of away.entries()) {
    await leave();
    await server.command('test.cursor.release');
    await until(`continuation ${n + 1}`, async () => (await text()) === line, 60_000);
    await notice('Press Enter in the chat').waitFor();
    assert.equal(await chat.locator('#title').innerText(), 'Chat chat-3');
    await page.keyboard.press('Enter');
    await until('the line is submitted', async () => (await server.command('test.cursor.submitted')).length === n + 2);
  }
  await server.command('test.cursor.release');
  await until('the promise', async () => (await status('chat-3')).status === 'PROMISE_ACCEPTED', 60_000);
  assert.equal((await status('chat-3')).iterations, 23);
  await until('the chip', async () => (await chipText()) === 'Loop • Promise accepted • Iter 23/30');
  const sent = await server.command('test.cursor.submitted');
  assert.deepEqual(sent, [begin, line, line, line, line].map((t) => ({ chat: 'chat-3', text: t })));
  assert.equal(readFileSync(path.join(root, 'ws/main.go'), 'utf8'), 'package main\n');
  await server.command('test.cursor.agent', 0);
}, { timeout: 300_000 });

test('the start form starts a loop', async () => {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill('>Ralph Loop: Start a Loop');
  await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Start a Loop' }).first().click();
  const answer = async (text) => {
    await page.locator('.quick-input-widget input').fill(text);
    await page.keyboard.press('Enter');
  };
  await page.locator('.quick-input-widget', { hasText: 'the task' }).waitFor();
  await answer('--replace everything');
  await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'go test ./...' }).click();
  await page.locator('.quick-input-widget', { hasText: 'iterations at most' }).waitFor();
  await answer('7');
  await page.locator('.quick-input-widget', { hasText: 'time at most' }).waitFor();
  await answer('2h');
  await notice('The loop is pending').waitFor();
  const loops = JSON.parse((await ralph('list', '--json')).stdout);
  const ours = loops.find((l) => l.prompt === '--replace everything');
  assert.deepEqual([ours?.status, ours?.max_iterations, ours?.verify], ['pending', 7, 'go test ./...']);
});
