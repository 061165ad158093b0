import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type TestContext } from 'node:test';
import * as fake from './fake/vscode';
import { Boxes } from '../src/boxes';
import { EditorDesk } from '../src/desk';
import { activate, deactivate } from '../src/extension';

// The program of an extension that was just unpacked. It takes its time before it is in its place.
const script = `#!/bin/sh
case $1 in
editor) [ -n "$2" ] || exit 0
  touch "$HOME/begun"; while [ ! -e "$HOME/go" ]; do sleep 0.02; done
  mkdir "$HOME/copy"; cp "$0" "$HOME/copy"; echo "{\\"bin\\": \\"$HOME/copy\\", \\"plugin\\": \\"\\"}" ;;
rendezvous) echo "$HOME/rendezvous" ;;
events) echo $$ >"$HOME/events"; exec cat ;;
log) echo "said by $0" ;;
esac
`;

function unpack(t: TestContext): { home: string; context: never } {
  const home = mkdtempSync(path.join(tmpdir(), 'ext-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const was = process.env['HOME'];
  process.env['HOME'] = home;
  t.after(() => (process.env['HOME'] = was));
  const extensionPath = path.join(home, 'extensions', 'cursor-ralph.cursor-ralph-1.0.0');
  mkdirSync(path.join(extensionPath, 'bin'), { recursive: true });
  mkdirSync(path.join(home, 'rendezvous'), { mode: 0o700 });
  const file = path.join(extensionPath, 'bin/cursor-ralph');
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  const state = { get: (_: string, usual?: unknown) => usual, update: async () => undefined };
  const context = { extensionPath, extension: { packageJSON: {} }, extensionUri: {}, subscriptions: [], workspaceState: state, globalState: state, environmentVariableCollection: { clear: () => undefined, append: () => undefined } };
  return { home, context: context as never };
}

async function until(what: string, condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !condition(); await new Promise((resolve) => setTimeout(resolve, 10))) assert.ok(Date.now() < end, what);
}

test('in the first seconds after an update a command waits for the program', async (t) => {
  const { home, context } = unpack(t);
  fake.reset();
  activate(context);
  t.after(deactivate);
  const ran = fake.registeredCommands.get('cursorRalph.log')?.();
  await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(path.join(home, 'go'), '');
  await ran;
  assert.deepEqual(fake.asked.filter((a) => a.kind === 'error'), []);
  assert.match(fake.output.join('\n'), /said by .*\/copy\/cursor-ralph/);
});

test('whoever closes the window leaves nothing behind, at any moment', async (t) => {
  for (const when of ['at once', 'while the programs are copied', 'when all is up']) {
    const { home, context } = unpack(t);
    fake.live.clear();
    await until('the end of what ran before', () => !process.getActiveResourcesInfo().includes('ProcessWrap'));
    activate(context);
    const begun = fake.registeredCommands.get('cursorRalph.show')?.() as Promise<unknown>;
    if (when === 'while the programs are copied') await until('the copy', () => existsSync(path.join(home, 'begun')));
    if (when !== 'when all is up') deactivate();
    writeFileSync(path.join(home, 'go'), '');
    await begun;
    if (when === 'when all is up') {
      await until('the events', () => existsSync(path.join(home, 'events')));
      deactivate();
      const pid = Number(readFileSync(path.join(home, 'events'), 'utf8'));
      await until('the end of the events', () => !existsSync(`/proc/${pid}/stat`) || readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z'));
    } else {
      await until(`the end of what began ${when}`, () => !process.getActiveResourcesInfo().includes('ProcessWrap'));
      assert.ok(!existsSync(path.join(home, 'events')), when); // nothing was started after that
    }
    assert.equal(fake.live.size, 0, when);
  }
});

test('the user is at work: in an editor, in the box of a commit, in a terminal', () => {
  const { Keyboard, Mouse, Command } = fake.TextEditorSelectionChangeKind;
  const { selection, document, terminal } = fake.events;
  const does: [string, () => void, boolean][] = [
    ['nothing', () => undefined, false],
    ['an extension selects', () => selection.fire({ kind: Command }), false],
    ['an agent edits', () => document.fire({ document: { uri: { scheme: 'file' } }, contentChanges: [] }), false],
    ['types', () => selection.fire({ kind: Keyboard }), true],
    ['clicks', () => selection.fire({ kind: Mouse }), true],
    ['writes a commit message', () => document.fire({ document: { uri: { scheme: 'vscode-scm' } }, contentChanges: [] }), true],
    ['uses a terminal', () => terminal.fire({}), true],
  ];
  for (const [what, act, seen] of does) {
    const fresh = new EditorDesk(new Boxes());
    act();
    assert.equal(fresh.idle() < 60_000, seen, what);
    fresh.dispose();
  }
});

test('the user is at work in one of our boxes, while it is open and a moment after', async (t) => {
  let now = 5000;
  t.mock.method(performance, 'now', () => now);
  const boxes = new Boxes();
  const desk = new EditorDesk(boxes);
  t.after(() => desk.dispose());
  assert.equal(desk.asked(), Infinity);
  fake.reset(() => (assert.equal(desk.idle(), 0), 'text'));
  assert.equal(await boxes.input({}), 'text');
  now += 400;
  assert.equal(desk.idle(), 400);
  fake.reset((items: unknown[]) => (assert.equal(desk.asked(), 0), items[0]));
  assert.deepEqual(await boxes.pick([{ label: 'a' }], {}), { label: 'a' });
  now += 1;
  assert.equal(desk.asked(), 1);
});
