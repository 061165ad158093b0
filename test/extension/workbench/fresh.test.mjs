// A loop with --fresh-chat: the extension creates each new chat, wherever the focus is.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { until, Workbench } from './workbench.mjs';

let wb, w, page;

before(async () => {
  wb = await Workbench.start();
  w = await wb.open();
  page = w.page;
  await w.openFile('main.go');
}, { timeout: 600_000 });

after(() => wb?.stop());

const lineOf = (chat) => wb.lineOf(chat);

async function begins(chat, text) {
  await w.command('composer.openComposer', chat);
  await w.command('composer.focusComposer');
  await page.keyboard.insertText(text);
  await page.keyboard.press('Enter');
  await until('the task is submitted', async () => (await w.cursor('seen')).submitted.length === 1);
}

test('a loop of 23 iterations goes on in a new chat after every four', async () => {
  await w.cursor('agent', 23);
  const begin = '/ralph-loop "make it green" --max-iterations 30 --fresh-chat 4';
  await begins('chat-1', begin);
  await w.wantChip('Loop • Running • Iter 1/30');
  const away = [
    () => page.locator('.tab', { hasText: 'main.go' }).click().then(() => w.clickFile()),
    () => w.command('workbench.action.terminal.new').then(() => w.command('workbench.action.terminal.focus')),
    () => w.command('composer.openComposer', 'chat-2').then(() => w.command('composer.focusComposer')),
    () => page.locator('.part.activitybar .action-label').first().click(),
    () => w.cursor('play', 'composer.createNew', 'late').then(() => w.clickFile()),
  ];
  const chats = ['chat-1', 'chat-4', 'chat-5', 'chat-6', 'chat-7', 'chat-8'];
  for (const [n, leave] of away.entries()) {
    await leave();
    await w.cursor('release', chats[n]);
    await until('the new chat', async () => (await w.cursor('seen')).submitted.length === n + 2, 180_000);
    const moved = await until('the loop is there', async () => (await wb.ralph('status', chats[n + 1], '--json')).code === 0 && wb.status(chats[n + 1]));
    assert.deepEqual([moved.status, moved.iterations], ['running', 4 * (n + 1)]);
  }
  await w.cursor('release', 'chat-8');
  await until('the promise', async () => (await wb.status('chat-8')).status === 'PROMISE_ACCEPTED', 180_000);
  assert.equal((await wb.status('chat-8')).iterations, 23);
  await w.wantChip('Loop • Promise accepted • Iter 23/30');
  const seen = await w.cursor('seen');
  const line = await lineOf('chat-8');
  assert.deepEqual(seen.submitted, [{ chat: 'chat-1', text: begin }, ...chats.slice(1).map((chat) => ({ chat, text: line }))]);
  assert.deepEqual(seen.turns.map((t) => t.chat), chats.flatMap((chat) => Array(chat === 'chat-8' ? 3 : 4).fill(chat)));
  for (const [n, chat] of chats.slice(1).entries()) {
    const [first] = seen.turns.find((t) => t.chat === chat).added;
    assert.match(first, new RegExp(`^\\[Ralph loop ${4 * n + 5}/30\\] The loop goes on in this new chat\\..*\\n- iterations done: ${4 * n + 4}\\n`), first);
  }
  assert.deepEqual(seen.violations ?? [], []);
  assert.equal(readFileSync(wb.at('ws/main.go'), 'utf8'), 'package main\n');
  await w.cursor('play', 'composer.createNew', null);
}, { timeout: 600_000 });

test('a new chat that does not come is not created twice, and the user opens one', async () => {
  await w.cursor('agent', 3);
  await w.cursor('play', 'composer.createNew', 'lies');
  await begins('chat-2', '/ralph-loop "make it green" --fresh-chat 1');
  await w.cursor('release', 'chat-2');
  await until('it is given up', async () => /^no new chat went on with the loop/.test((await wb.status('chat-2')).reason), 180_000);
  assert.equal((await wb.status('chat-2')).status, 'waiting');
  assert.equal((await w.cursor('seen')).submitted.length, 1);
  await w.cursor('play', 'composer.createNew', null);
  await w.wantChip(/Waiting/);
  await w.steer('Continue in a new chat…');
  await w.notice('goes on in a new chat, which has not begun').locator('.monaco-button', { hasText: 'Open New Chat' }).click();
  const line = await lineOf('chat-2');
  await until('the line is in a new chat', async () => (await w.input()).text === line);
  const [fresh] = (await w.cursor('seen')).chats;
  assert.notEqual(fresh, 'chat-2');
  await page.keyboard.press('Enter');
  await until('the loop is there', async () => (await wb.status(fresh)).status === 'running');
  assert.deepEqual((await w.cursor('seen')).submitted.slice(1), [{ chat: fresh, text: line }]);
  await wb.ralph('cancel', fresh);
}, { timeout: 600_000 });

test('where Cursor creates no chats, the loop waits for the user to open one', async () => {
  await w.cursor('agent', 9);
  await w.cursor('play', 'composer.createNew', 'missing');
  await begins('chat-3', '/ralph-loop "make it green" --fresh-chat 1');
  await w.cursor('release', 'chat-3');
  await until('it waits', async () => (await wb.status('chat-3')).reason === 'open a new chat and send the continue line there', 180_000);
  const { turns: all, submitted } = await w.cursor('seen');
  const turns = all.filter((t) => t.chat === 'chat-3'); // the turn of the test before may end only now
  assert.equal(submitted.length, 1);
  assert.equal(turns.length, 1);
}, { timeout: 600_000 });
