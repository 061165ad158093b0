// Several windows, a workspace of several folders, none, and a folder whose hooks.json has our hook.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { until, Workbench } from './workbench.mjs';

let wb, one, several;

before(async () => {
  wb = await Workbench.start({
    prepare: (w) => {
      for (const dir of ['a', 'b', 'c/.cursor']) mkdirSync(w.at(dir), { recursive: true });
      writeFileSync(w.at('b/b.txt'), 'b\n');
      writeFileSync(w.at('two.code-workspace'), JSON.stringify({ folders: [{ path: 'a' }, { path: 'b' }] }));
      writeFileSync(w.at('c/.cursor/hooks.json'), JSON.stringify({ version: 1, hooks: { stop: [{ command: '/usr/local/bin/cursor-ralph-hook' }] } }));
    },
  });
  one = await wb.open();
  several = await wb.open({ query: { workspace: wb.at('two.code-workspace') }, open: [wb.at('a'), wb.at('b')] });
}, { timeout: 600_000 });

after(() => wb?.stop());

test('each window shows the loops of its folders, and the line goes where the chat is', async () => {
  await one.cursor('chats', ['chat-1']);
  await several.cursor('chats', ['chat-8', 'chat-9']);
  await several.command('composer.openComposer', 'chat-8'); // its view is made: that takes long
  await one.command('composer.openComposer', 'chat-1');
  wb.loop('chat-1');
  wb.loop('chat-9', { workspace: wb.at('b'), iterations: 6, prompt: 'the task of b' });
  await one.wantChip('Loop • Running • Iter 3/20');
  await several.wantChip('Loop • Running • Iter 7/20');
  await several.command('cursorRalph.show');
  await several.page.locator('.pane-body .monaco-list-row', { hasText: 'the task of b' }).waitFor();
  const injected = wb.ralph('inject', 'chat-9', '--wait', '1m');
  await several.notice('Press Enter in the chat').waitFor();
  assert.deepEqual(await several.input(), { text: await wb.lineOf('chat-9'), title: 'Chat chat-9' });
  assert.equal(await one.notice('Press Enter in the chat').count(), 0);
  await several.page.keyboard.press('Enter');
  const out = await injected;
  assert.equal(out.code, 0, out.stderr);
  assert.deepEqual((await several.cursor('seen')).submitted, [{ chat: 'chat-9', text: await wb.lineOf('chat-9') }]);
  assert.deepEqual((await one.cursor('seen')).submitted, []);
  await wb.ralph('cancel', 'chat-9');
});

test('a window whose folder has our hook registers no second one', async () => {
  assert.equal((await one.cursor('seen')).plugins.length, 1);
  const has = await wb.open({ query: { folder: wb.at('c') }, open: [wb.at('c')] });
  await has.cursor('chats', ['chat-50']);
  // It tells cursor-ralph how the hooks are installed when it has seen to that.
  const said = () => readFileSync(wb.at('state/.editors.json'), 'utf8');
  await until('its report', () => said().includes('"hooks.json"'));
  assert.deepEqual((await has.cursor('seen')).plugins, []);
  await has.close();
});

test('a window without a folder shows all loops, and takes no line that is not its', async () => {
  const none = await wb.open({ query: { ew: 'true' }, open: [] });
  await none.cursor('chats', ['chat-51']);
  await none.wantChip('Loop • Running • Iter 3/20');
  await none.steer('Pause');
  await one.wantChip(/Pausing/);
  await none.wantChip(/Pausing/);
  await wb.ralph('resume', 'chat-1');
  await one.wantChip(/Running/);
  await none.run("void vscode.commands.executeCommand('cursorRalph.start')");
  await none.notice('A loop works in a folder: open one first.').waitFor();
  const out = await wb.ralph('inject', 'chat-1', '--wait', '1s');
  assert.equal(out.code, 1); // nobody pressed Enter
  assert.equal((await one.input()).text, await wb.lineOf('chat-1'));
  await none.close();
});
