// A delivery on a real display: the extension puts the line in, and xdotool presses Return. DISPLAY has an X server with a
// window manager.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { until, Workbench } from './workbench.mjs';

const env = { DISPLAY: process.env.DISPLAY, CURSOR_RALPH_EDITOR_EXE: 'chromium', XDG_SESSION_TYPE: 'x11' };
let wb, w, page, other;

const xdotool = (...args) => execFileSync('xdotool', args, { env: { ...process.env, ...env }, encoding: 'utf8' }).trim();
const windowNamed = (name) => until(`a window ${name}`, () => xdotool('search', '--onlyvisible', '--name', name).split('\n')[0]);
const activate = async (id) => {
  xdotool('windowactivate', id);
  await until('the window in front', () => xdotool('getactivewindow') === id && xdotool('getwindowfocus') === id);
};

before(async () => {
  wb = await Workbench.start({ env });
  w = await wb.open({ headless: false });
  page = w.page;
  // Another window of the same program: without the loop's folder in its title, it is another window of the editor.
  other = await (await wb.browser.newContext({ viewport: null })).newPage();
  await other.setContent('<title>notes - other</title><body onkeydown="keys.push(event.key)"><textarea autofocus></textarea><script>keys = []</script>');
  await w.openFile('main.go');
}, { timeout: 600_000 });

after(() => wb?.stop());

const lineOf = (chat) => wb.lineOf(chat);

test('Return is pressed in the chat, once, wherever the focus was: 23 iterations in 5 sessions', async () => {
  const [editor, notes] = [await windowNamed(' ws '), await windowNamed('notes - other')];
  await activate(editor);
  await w.cursor('agent', 23);
  await w.command('composer.openComposer', 'chat-3');
  await w.command('composer.focusComposer');
  const begin = '/ralph-loop "make it green" --max-iterations 30';
  await page.keyboard.insertText(begin);
  await page.keyboard.press('Enter');
  await w.wantChip('Loop • Running • Iter 1/30');
  const away = {
    'a source file': () => w.openFile('main.go'),
    'the terminal': () => w.command('workbench.action.terminal.new').then(() => w.command('workbench.action.terminal.focus')),
    'another chat': () => w.command('composer.openComposer', 'chat-1').then(() => w.command('composer.focusComposer')),
    'another window': () => page.locator('.part.activitybar .action-label').first().click().then(() => activate(notes)),
  };
  let sent = 1;
  for (const [where, leave] of Object.entries(away)) {
    await leave();
    await w.cursor('release', 'chat-3');
    sent++;
    await until(async () => `the line is submitted, from ${where}: ${(await wb.ralph('log', 'chat-3')).stdout}`, async () => (await w.cursor('seen')).submitted.length === sent, 180_000);
    await until('the delivery is over', async () => (await wb.status('chat-3')).status === 'running');
    assert.equal((await w.input()).text, '', where);
  }
  await w.cursor('release', 'chat-3');
  await until('the promise', async () => (await wb.status('chat-3')).status === 'PROMISE_ACCEPTED', 180_000);
  assert.equal((await wb.status('chat-3')).iterations, 23);
  const seen = await w.cursor('seen');
  const line = await lineOf('chat-3');
  assert.deepEqual(seen.submitted, [begin, line, line, line, line].map((text) => ({ chat: 'chat-3', text })));
  assert.deepEqual(seen.keys, Array(5).fill('Enter')); // the first one is the user's
  assert.deepEqual(seen.violations ?? [], []);
  assert.equal(await w.fileText(), 'package main\n');
  assert.equal(readFileSync(wb.at('ws/main.go'), 'utf8'), 'package main\n');
  assert.deepEqual(await other.evaluate('keys'), []);
  const methods = (await wb.ralph('log', 'chat-3', '--lines', '1000')).stdout.match(/xdotool in \d+ ms/g);
  assert.equal(methods?.length, 4);
});

test('a command that answers late causes no second delivery', async () => {
  for (const [n, command] of ['composer.openComposer', 'composer.focusComposer', 'editor.action.clipboardPasteAction'].entries()) {
    const chat = `chat-${n + 30}`;
    await w.cursor('chats', [chat, 'chat-1']);
    wb.loop(chat);
    await w.cursor('agent', 0);
    await w.openFile('main.go');
    await w.cursor('play', command, 'late');
    const out = await wb.ralph('inject', chat, '--wait', '2s');
    await until('the late answer', async () => (await w.cursor('lateAnswers')) === n + 1);
    await w.cursor('play', command, null);
    const line = await lineOf(chat);
    const [seen, { text }] = [await w.cursor('seen'), await w.input()];
    assert.deepEqual(seen.submitted, out.code === 0 ? [{ chat, text: line }] : [], command);
    assert.ok(text.split(line).length <= (out.code === 0 ? 1 : 2), `${command}: ${text}`);
    assert.equal(await w.fileText(), 'package main\n', command);
    await w.cursor('clear');
    await wb.ralph('cancel', chat);
  }
});
