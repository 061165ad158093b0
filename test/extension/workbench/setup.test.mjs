// What the extension brings to where it is used, what it reports, and how a loop begins in the chat that is shown.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { until, Workbench } from './workbench.mjs';

let wb, w, page;

before(async () => {
  wb = await Workbench.start();
  w = await wb.open();
  page = w.page;
}, { timeout: 180_000 });

after(() => wb?.stop());

const editors = () => JSON.parse(readFileSync(wb.at('state/.editors.json'), 'utf8'));

test('the programs and the plugin are where an update leaves them', async () => {
  const place = wb.at('home/.local/share/cursor-ralph/editor');
  const [editor] = await until('the report', editors);
  assert.equal(editor.hooks, 'plugin');
  assert.ok(editor.plugin.startsWith(place + '/'), editor.plugin);
  assert.equal(readlinkSync(`${place}/current`), editor.plugin.split('/').at(-2));
  assert.equal(statSync(wb.at('state/.editors.json')).mode & 0o777, 0o600);
  const { stop } = JSON.parse(readFileSync(`${editor.plugin}/hooks/hooks.json`, 'utf8')).hooks;
  assert.equal(realpathSync(stop[0].command.split(' ')[0]), realpathSync(`${place}/current/bin/cursor-ralph-hook`));
  assert.match(readFileSync(`${editor.plugin}/commands/ralph-loop.md`, 'utf8'), new RegExp(`${place}/current/bin/cursor-ralph slash ralph-loop`));
  const { stdout } = await wb.ralph('doctor');
  assert.match(stdout, /ok +extension +extension 0\.0\.0 ran in .*; hooks: registered, .*worked: .*vscode\.cursor\.plugins\.registerPath/);
});

test('a setting of the extension is shown by cursor-ralph config', async () => {
  await w.run(`await vscode.workspace.getConfiguration('cursorRalph').update('notices', 'attention', true)`);
  await until('the setting', async () => /^cursorRalph\.notices +attention +settings of /m.test((await wb.ralph('config')).stdout));
});

test('a loop begins in the chat that is shown', async () => {
  await w.command('composer.openComposer', 'chat-2');
  const ended = w.command('cursorRalph.start');
  const answer = async (title, text) => {
    await page.locator('.quick-input-widget', { hasText: title }).waitFor();
    await page.locator('.quick-input-widget input').fill(text);
    await page.keyboard.press('Enter');
  };
  await answer('the task', 'make it green');
  await w.row('No command').click();
  await answer('iterations at most', '7');
  await answer('time at most', '');
  await answer('iterations in one chat', '0');
  await w.notice('The loop is pending').locator('.monaco-button', { hasText: 'Begin in the Current Chat' }).click();
  await w.notice('press Enter there').waitFor();
  await page.keyboard.press('Enter');
  await until('the loop runs in the chat', async () => (await wb.status('chat-2')).prompt === 'make it green');
  assert.equal((await wb.status('chat-2')).max_iterations, 7);
  await page.keyboard.press('Escape');
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1000))]);
});

test('a file of an iteration opens between its checkpoints', async () => {
  const git = (...args) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: wb.at('ws'), env: wb.env, encoding: 'utf8' }).trim();
  git('init', '-q');
  wb.loop('chat-3', { iterations: 1, history: [{ iteration: 1, started_at: new Date().toISOString(), ended_at: new Date().toISOString(), duration_seconds: 5, promise: 'none', files: ['main.go'], checkpoint: 1, action: 'follow-up' }] });
  const { id } = await wb.status('chat-3');
  const commit = (n, text, ...parent) => {
    writeFileSync(wb.at('ws/main.go'), text);
    git('add', '-A');
    git('update-ref', `refs/cursor-ralph/${id}/${n}`, git('commit-tree', git('write-tree'), '-m', 'x', ...parent.flatMap((p) => ['-p', git('rev-parse', `refs/cursor-ralph/${id}/${p}`)])));
  };
  commit(0, 'package main // before\n');
  commit(1, 'package main // after\n', 0);
  writeFileSync(wb.at('ws/main.go'), 'package main // now\n');
  await w.command('cursorRalph.show');
  const row = (text) => page.locator('.pane-body .monaco-list-row', { hasText: text }).first();
  await row(id).waitFor();
  await row(id).click();
  await row('Iteration 1').click();
  await row('main.go').click();

  await page.locator('.tab', { hasText: `main.go (loop ${id}, iteration 1)` }).waitFor();
  const shown = await until('both sides', () => w.run(`const t = vscode.window.visibleTextEditors.map((e) => e.document.getText()); return t.length === 2 && t`));
  assert.deepEqual(shown.sort(), ['package main // after\n', 'package main // before\n']);
  await w.shot('diff');
});
