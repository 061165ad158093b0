// A delivery where no program can press a key: the extension puts the line in, and the user presses Enter.
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
const asked = () => w.notice('Press Enter in the chat');

// inject begins a delivery, once the notice of the one before is gone, and returns how its end is awaited.
async function inject(chat) {
  await asked().waitFor({ state: 'detached' });
  const injected = wb.ralph('inject', chat, '--wait', '1m');
  return () => injected;
}

test('the plugin is registered, once', async () => {
  const { plugins } = await w.cursor('seen');
  assert.equal(plugins.length, 1);
  assert.match(plugins[0], /plugin$/);
});

test('a delivery reaches the right chat while the focus is in a source file', async () => {
  wb.loop('chat-1');
  await w.command('composer.openComposer', 'chat-2');
  await w.clickFile();
  await w.run('await vscode.env.clipboard.writeText("what the user copied")');
  const injected = await inject('chat-1');
  await asked().waitFor({ timeout: 120_000 });
  assert.deepEqual(await w.input(), { text: (await lineOf('chat-1')), title: 'Chat chat-1' });
  assert.equal(await w.run('return vscode.env.clipboard.readText()'), 'what the user copied');
  await page.keyboard.press('Enter');
  const out = await injected();
  assert.equal(out.code, 0, out.stderr + out.stdout);
  assert.match(out.stdout, /typed by extension, and arrived/);
  await asked().waitFor({ state: 'detached' });
  const { submitted } = await w.cursor('seen');
  assert.deepEqual(submitted, [{ chat: 'chat-1', text: (await lineOf('chat-1')) }]);
  assert.equal(await w.fileText(), 'package main\n');
  assert.equal(readFileSync(wb.at('ws/main.go'), 'utf8'), 'package main\n');
  await wb.ralph('cancel', 'chat-1');
});

test('where Cursor misbehaves nothing is put anywhere', async () => {
  wb.loop('chat-3');
  for (const [command, how] of [['composer.openComposer', 'lies'], ['composer.focusComposer', 'throws'], ['composer.focusComposer', 'hangs'], ['composer.getOrderedSelectedComposerIds', 'missing']]) {
    await w.command('composer.openComposer', 'chat-2');
    await w.clickFile();
    await w.cursor('play', command, how);
    const out = await wb.ralph('inject', 'chat-3', '--wait', '2s');
    await w.cursor('play', command, null);
    assert.equal(out.code, 1, `${command} ${how}`);
    assert.match(out.stderr, /extension: "?[a-z-]+"?|does not exist/, `${command} ${how}`);
    assert.equal((await w.input()).text, '', `${command} ${how}`);
    assert.equal(await w.fileText(), 'package main\n', `${command} ${how}`);
  }
  assert.equal((await w.cursor('seen')).submitted.length, 1);
  await wb.ralph('cancel', 'chat-3');
});

test('the Agents window, where the usual command to focus does nothing', async () => {
  await w.cursor('chats', ['chat-5', 'chat-4']);
  await w.cursor('agents', true);
  wb.loop('chat-4');
  await w.clickFile();
  const injected = await inject('chat-4');
  await asked().waitFor();
  assert.deepEqual(await w.input('ui-prompt-input-editor__input'), { text: (await lineOf('chat-4')), title: 'Chat chat-4' });
  await page.keyboard.press('Enter');
  const out = await injected();
  assert.equal(out.code, 0, out.stderr + out.stdout);
  await asked().waitFor({ state: 'detached' });
  assert.deepEqual((await w.cursor('seen')).submitted.slice(1), [{ chat: 'chat-4', text: (await lineOf('chat-4')) }]);
  assert.equal(await w.fileText(), 'package main\n');
  await w.cursor('agents', false);
  await wb.ralph('cancel', 'chat-4');
});

// each step of a delivery, and how a test makes it last.
const steps = {
  show: ['composer.openComposer', 'held'],
  focus: ['composer.focusComposer', 'held'],
  paste: ['editor.action.clipboardPasteAction', 'held at its end'],
  'before the key': [],
};

// interrupted begins a delivery, has the user do something at a step of it, and returns what the delivery said.
async function interrupted(chat, step, act) {
  const [command, how] = steps[step];
  if (command) await w.cursor('play', command, how);
  const injected = await inject(chat);
  if (command) await until(`held at ${step}`, () => w.cursor('isHeld'));
  else await asked().waitFor();
  await act();
  if (command) {
    await w.cursor('go');
    await w.cursor('play', command, null);
  }
  return injected();
}

test('who pauses or cancels at a step of a delivery stops it: nothing is put in after that, and nothing is sent', async () => {
  const before = (await w.cursor('seen')).submitted.length;
  let n = 10;
  for (const label of ['Pause', 'Cancel']) {
    for (const step of Object.keys(steps)) {
      const [chat, what] = [`chat-${n++}`, `${label} at ${step}`];
      await w.cursor('chats', ['chat-2', chat]);
      wb.loop(chat);
      await w.wantChip('Loop • Running • Iter 3/20');
      await w.clickFile();
      const out = await interrupted(chat, step, async () => {
        await w.steer(label);
        await until(what, async () => ['paused', 'CANCELLED'].includes((await wb.status(chat)).status));
      });
      assert.equal(out.code, 1, what);
      assert.match(out.stderr, /the line did not arrive|not typed|the loop has ended/, what);
      await asked().waitFor({ state: 'detached' });
      const { text } = await w.input();
      if (step === 'show' || step === 'focus') assert.equal(text, '', what);
      else assert.equal(text, (await lineOf(chat)), what); // it stays: nothing is deleted
      assert.equal((await w.cursor('seen')).submitted.length, before, what);
      assert.equal(await w.fileText(), 'package main\n', what);
      await w.cursor('clear');
      if (label === 'Pause') await wb.ralph('cancel', chat);
      await w.wantChip(/Cancelled|^0/);
    }
  }
});

test('who adds context during a delivery, or resumes after a pause in it, lets it go on', async () => {
  const [chat, before] = ['chat-20', (await w.cursor('seen')).submitted.length];
  await w.cursor('chats', [chat]);
  wb.loop(chat, { idle: true }); // so that only a message goes on
  await w.wantChip('Loop • Running • Iter 3/20');
  const paused = await interrupted(chat, 'focus', async () => {
    await w.steer('Pause');
    await until('paused', async () => (await wb.status(chat)).status === 'paused');
  });
  assert.equal(paused.code, 1);
  await w.wantChip(/Paused/);
  await w.steer('Resume'); // which begins a delivery
  await until(async () => `asked: ${(await wb.ralph('log', chat)).stdout}`, () => asked().count());
  await w.steer('Add context', 'the port is 5433');
  await until('the context', () => readFileSync(wb.at(`ralph/cursor-ralph-loop-${chat}.json`), 'utf8').includes('the port is 5433'));
  await w.command('composer.focusComposer');
  await page.keyboard.press('Enter');
  const turn = await until('the turn', async () => (await w.cursor('seen')).turns.find((t) => t.chat === chat));
  assert.match(turn.added.join(), /the port is 5433/);
  await until('it goes on', async () => (await wb.status(chat)).status === 'running');
  assert.deepEqual((await w.cursor('seen')).submitted.slice(before), [{ chat, text: (await lineOf(chat)) }]);
  await wb.ralph('cancel', chat); // the chip shows the next loop
});

const unsure = () => w.notice('when its input holds this line alone');

test('a line that a pause left in the input is not put in again, and what the user made of it stays', async () => {
  for (const [chat, root] of [['chat-40', 'aislash-editor-input'], ['chat-41', 'ui-prompt-input-editor__input']]) {
    const before = (await w.cursor('seen')).submitted.length;
    await w.cursor('agents', chat === 'chat-41');
    await w.cursor('chats', ['chat-2', chat]);
    wb.loop(chat, { idle: true });
    let line = await lineOf(chat);
    await w.wantChip('Loop • Running • Iter 3/20');
    // paused is a delivery that a pause stops after the line was put in, and resumed the next one.
    const paused = async () => {
      const out = await interrupted(chat, 'before the key', async () => {
        await w.steer('Pause');
        await until('paused', async () => (await wb.status(chat)).status === 'paused');
      });
      assert.equal(out.code, 1);
      await asked().waitFor({ state: 'detached' });
      await w.wantChip(/Paused/);
    };
    const resumed = async () => {
      await w.steer('Resume');
      await until(async () => `asked: ${(await wb.ralph('log', chat)).stdout}`, () => unsure().count());
    };
    await paused();
    await resumed();
    assert.deepEqual(await w.input(root), { text: line, title: `Chat ${chat}` });
    await page.keyboard.press('Enter');
    await unsure().waitFor({ state: 'detached' });
    await until('it goes on', async () => (await wb.status(chat)).status === 'running');
    assert.deepEqual((await w.cursor('seen')).submitted.slice(before), [{ chat, text: line }]);
    await wb.ralph('cancel', chat);

    wb.loop(chat, { idle: true }); // its line was sent, so the next one is put in again
    line = await lineOf(chat);
    await w.wantChip('Loop • Running • Iter 3/20');
    await paused();
    assert.equal((await w.input(root)).text, line);
    await w.command(chat === 'chat-41' ? 'glass.focusInput' : 'composer.focusComposer');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText('what the user writes');
    await resumed();
    assert.equal((await w.input(root)).text, 'what the user writes');
    await wb.ralph('cancel', chat);
    await unsure().waitFor({ state: 'detached' });
    assert.equal((await w.cursor('seen')).submitted.length, before + 1);
    await w.cursor('clear');
  }
  await w.cursor('agents', false);
});

test('a delivery waits until the user has stopped typing', async () => {
  const chat = 'chat-50';
  await w.cursor('chats', ['chat-2', chat]);
  wb.loop(chat);
  await w.clickFile();
  const injected = await inject(chat);
  let waits, typed = '';
  const log = async () => (waits = /the user is active/.test((await wb.ralph('log', chat)).stdout));
  for (let looking = log(); !waits; looking = looking.then(() => waits || log())) {
    await page.keyboard.type('xxx', { delay: 50 });
    typed += 'xxx';
  }
  assert.equal((await w.cursor('seen')).chats[0], 'chat-2');
  await asked().waitFor();
  assert.equal((await w.fileText()).replace(/[^x]/g, ''), typed);
  assert.equal((await w.input()).text, (await lineOf(chat)));
  await page.keyboard.press('Enter');
  assert.equal((await injected()).code, 0);
});

test('a delivery takes no keys from a box of the extension', async () => {
  const chat = 'chat-51';
  await w.cursor('chats', ['chat-2', chat]);
  wb.loop(chat);
  await w.command('composer.openComposer', 'chat-2');
  await w.clickFile();
  const { id } = await wb.status(chat);
  const opened = page.locator('.quick-input-widget', { hasText: 'The agent reads it once' });
  await until('the box', () => { // the window may not know the loop yet
    w.command('cursorRalph.context', id).catch(() => undefined); // it waits for the box
    return opened.waitFor({ timeout: 2000 }).then(() => true, () => false);
  });
  const box = page.locator('.quick-input-widget input');
  await page.keyboard.type('use the te');
  const injected = await inject(chat);
  await until('the delivery that waits', async () => /the user is active/.test((await wb.ralph('log', chat)).stdout));
  await page.keyboard.type('st database');
  assert.equal(await box.inputValue(), 'use the test database');
  assert.equal((await w.cursor('seen')).chats[0], 'chat-2');
  await page.keyboard.press('Escape');
  await asked().waitFor();
  assert.equal((await w.input()).text, (await lineOf(chat)));
  await page.keyboard.press('Enter');
  assert.equal((await injected()).code, 0);
});

test('a paste that meets no chat: it puts nothing into a file, or the user gets a notice', async () => {
  const chat = 'chat-52';
  await w.cursor('chats', ['chat-2', chat]);
  wb.loop(chat);
  const before = (await w.cursor('seen')).submitted.length;
  const text = await w.fileText();
  await w.clickFile();
  await w.cursor('play', 'composer.focusComposer', 'lies');
  assert.equal((await wb.ralph('inject', chat, '--wait', '2s')).code, 1);
  await w.cursor('play', 'composer.focusComposer', null);
  assert.equal(await w.fileText(), text, 'the focus did not move');
  await asked().waitFor({ state: 'detached' });
  await wb.ralph('cancel', chat);
  wb.loop('chat-53');
  await w.cursor('chats', ['chat-2', 'chat-53']);
  await w.cursor('play', 'editor.action.clipboardPasteAction', 'held');
  const injected = await inject('chat-53');
  await until('held', () => w.cursor('isHeld'));
  await w.clickFile();
  await w.cursor('go');
  await w.notice("A loop's line went into main.go instead of its chat").waitFor();
  const out = await injected();
  assert.equal(out.code, 1);
  assert.match(out.stderr, /into a (document|text editor)/);
  await w.cursor('play', 'editor.action.clipboardPasteAction', null);
  assert.match(await w.fileText(), new RegExp(await lineOf('chat-53')));
  await w.clickFile();
  await page.keyboard.press('ControlOrMeta+z');
  await until('undone', async () => (await w.fileText()) === text);
  assert.equal((await w.cursor('seen')).submitted.length, before);
});
