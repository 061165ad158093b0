// What the extension brings to where it is used, what it reports, and how a loop begins in the chat that is shown.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { until, Workbench } from './workbench.mjs';

let wb, w, page;

before(async () => {
  wb = await Workbench.start();
  w = await wb.open();
  page = w.page;
}, { timeout: 600_000 });

after(() => wb?.stop());

const editors = () => JSON.parse(readFileSync(wb.at('state/.editors.json'), 'utf8'));

test('the programs and the plugin are where an update leaves them', async () => {
  const place = wb.at('home/.local/share/cursor-ralph/editor');
  const [editor] = await until('the report', editors);
  assert.equal(editor.hooks, 'plugin');
  assert.equal(editor.plugin, `${place}/plugin`);
  assert.equal(statSync(wb.at('state/.editors.json')).mode & 0o777, 0o600);
  const { stop } = JSON.parse(readFileSync(`${editor.plugin}/hooks/hooks.json`, 'utf8')).hooks;
  assert.equal(realpathSync(stop[0].command.split(' ')[0]), realpathSync(`${place}/bin/cursor-ralph-hook`));
  assert.match(readFileSync(`${editor.plugin}/commands/ralph-loop.md`, 'utf8'), new RegExp(`${place}/bin/cursor-ralph slash ralph-loop`));
  const { stdout } = await wb.ralph('doctor', '--verbose');
  assert.match(stdout, /ok +extension +extension 0\.0\.0 ran in .*; hooks: registered, .*worked: .*vscode\.cursor\.plugins\.registerPath/);
});

test('a setting of the extension is shown by cursor-ralph config', async () => {
  await w.run(`await vscode.workspace.getConfiguration('cursorRalph').update('notices', 'attention', true)`);
  await until('the setting', async () => /^cursorRalph\.notices +attention +settings of /m.test((await wb.ralph('config')).stdout));
});

test('a loop begins in the chat that is shown', async () => {
  await w.command('composer.openComposer', 'chat-2');
  await w.command('cursorRalph.start');
  await w.run(`const e = vscode.window.activeTextEditor; await e.edit((b) => { b.insert(new vscode.Position(99, 0), 'make it green\\n'); }); `);
  const buttons = `return (await vscode.commands.executeCommand('vscode.executeCodeLensProvider', vscode.window.activeTextEditor.document.uri)).map((l) => l.command.title)`;
  await until('its button', async () => (await w.run(buttons)).includes('$(play) Start in the current chat')); // a busy editor may draw it late
  await w.run(`void vscode.commands.executeCommand('cursorRalph.startForm', 'current')`); // its command: the editor may draw a button anew under the pointer
  await w.notice('Press Enter in the chat to begin the loop').waitFor();
  await page.keyboard.press('Enter');
  await until('the loop runs in the chat', async () => (await wb.status('chat-2')).prompt === 'make it green');
});

test('a file of an iteration opens between its checkpoints', async () => {
  const options = { cwd: wb.at('ws'), env: wb.env, encoding: 'utf8' };
  const hook = (hook_event_name, more) =>
    JSON.parse(execFileSync(path.join(path.dirname(wb.program), 'cursor-ralph-hook'), { ...options,
      input: JSON.stringify({ conversation_id: 'chat-3', generation_id: 'g1', hook_event_name, cursor_version: '3.7.21', workspace_roots: [wb.at('ws')], ...more }) }));
  const write = (text) => writeFileSync(wb.at('ws/main.go'), text);
  execFileSync('git', ['init', '-q'], options);
  write('package main // before\n');
  hook('beforeSubmitPrompt', { prompt: '/ralph-loop "make the tests pass" --checkpoints' });
  write('package main // after\n');
  hook('postToolUse', { tool_name: 'Write', tool_input: { file_path: wb.at('ws/main.go') }, tool_output: '{}', tool_use_id: 't1', duration: 1 });
  assert.match(hook('stop', { status: 'completed', loop_count: 0 }).followup_message, /^\[Ralph loop 2\/20\]/);
  write('package main // now\n');
  const { id } = await wb.status('chat-3');
  await w.command('cursorRalph.show');
  const row = (text) => page.locator('.pane-body .monaco-list-row', { hasText: text }).first();
  await row('make the tests').waitFor();
  await row('make the tests').locator('.monaco-tl-twistie').click();
  await row('Iteration 1').click();
  await row('main.go').click();

  await page.locator('.tab', { hasText: `main.go (loop ${id}, iteration 1)` }).waitFor();
  const shown = await until('both sides', () => w.run(`const t = vscode.window.visibleTextEditors.map((e) => e.document.getText()); return t.length === 2 && t`));
  assert.deepEqual(shown.sort(), ['package main // after\n', 'package main // before\n']);
  await w.shot('diff');
});
