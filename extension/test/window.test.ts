import assert from 'node:assert/strict';
import test from 'node:test';
import * as fake from './fake/vscode';
import { Actions, type Window } from '../src/actions';
import { Cursor } from '../src/cursor';
import type { Loop } from '../src/loops';
import type { Outcome } from '../src/program';
import { settings } from '../src/settings';
import { argumentsOf, lineOf, start, wrongDuration, wrongIterations } from '../src/start';
import { StatusBar } from '../src/statusbar';
import { contextOf, LoopTree } from '../src/tree';
import { aLoop, hostile } from './loop';

const done: Outcome = { code: 0, stdout: '', what: '', hint: '' };

function scene(loops: Loop[], answer: Partial<Outcome> = {}) {
  const ran: string[][] = [];
  const shownDetails: string[] = [];
  const said: string[] = [];
  const run = (args: readonly string[]) => Promise.resolve((ran.push([...args]), { ...done, ...answer }));
  const w = {
    loops: () => loops,
    folders: () => ['/code/repo'],
    program: () => ({ path: 'x', run, stream: () => undefined }),
    details: (l: Loop) => shownDetails.push(l.id),
    output: { appendLine: (t: string) => said.push(t), show: () => undefined },
  } as unknown as Window;
  return { ran, shownDetails, said, actions: new Actions(w) };
}

test('commands act on the loop they are about', async () => {
  fake.reset();
  const s = scene([aLoop()]);
  await s.actions.pause();
  await s.actions.pause({ loop: aLoop() });
  await s.actions.pause('k7f2a');
  assert.deepEqual(s.ran, [['pause', 'k7f2a'], ['pause', 'k7f2a'], ['pause', 'k7f2a']]);
  await s.actions.resume();
  assert.equal(fake.asked.at(-1)?.args[0], 'There is no loop here to resume.');
});

test('of several loops the user picks one, and hostile tasks are text', async () => {
  const loops = [aLoop({ prompt: hostile }), aLoop({ id: 'b1111' })];
  fake.reset((items: { loop: Loop }[]) => items.find((i) => i.loop.id === 'b1111'));
  const s = scene(loops);
  await s.actions.pause();
  assert.deepEqual(s.ran, [['pause', 'b1111']]);
  const [items] = fake.asked[0]?.args as [{ label: string }[]];
  assert.ok(items.every((i) => !i.label.includes('$(')));
});

test('cancel asks first', async () => {
  const s = scene([aLoop()]);
  fake.reset(undefined);
  await s.actions.cancel();
  assert.deepEqual(s.ran, []);
  fake.reset('Cancel the Loop');
  await s.actions.cancel();
  assert.deepEqual(s.ran, [['cancel', 'k7f2a']]);
});

test('context is one argument, whatever it says', async () => {
  const s = scene([aLoop()]);
  fake.reset('--replace; $(x)');
  await s.actions.context();
  assert.deepEqual(s.ran, [['context', 'k7f2a', '--', '--replace; $(x)']]);
  fake.reset('   ');
  await s.actions.context();
  assert.equal(s.ran.length, 1);
});

test('what cursor-ralph complains about is shown, as text', async () => {
  const s = scene([aLoop()], { code: 1, what: 'no loop [x](command:y)', hint: 'name one' });
  fake.reset();
  await s.actions.pause();
  assert.equal(fake.asked[0]?.args[0], 'cursor-ralph: no loop [x] (command:y) — name one');
});

test('continue now types, or offers the line', async () => {
  const waiting = aLoop({ status: 'waiting', waiting_for: 'continuation', continue: '/ralph-loop --continue 4f1d-1b0e' });
  const s = scene([waiting]);
  fake.reset();
  await s.actions.continueNow();
  assert.deepEqual(s.ran, [['inject', '4f1d-1b0e']]);
  assert.equal(fake.asked.length, 0);
  const failing = scene([waiting], { code: 1, what: 'no way of typing works' });
  fake.reset('Copy Line');
  await failing.actions.continueNow();
  assert.equal(fake.clipboard.text, '/ralph-loop --continue 4f1d-1b0e');
});

test('the menu has what suits each loop', async () => {
  const labels = async (l: Loop): Promise<string> => {
    fake.reset(undefined);
    await scene([l]).actions.menu();
    const [items] = fake.asked[0]?.args as [{ label: string; description?: string }[]];
    return items.map((i) => i.label.replace(/\$\([^)]*\) /, '')).join('|');
  };
  assert.match(await labels(aLoop()), /^k7f2a • running • 3\/20 • make the tests pass\|Pause\|Add context…\|Show history\|Cancel…\|This window/);
  assert.match(await labels(aLoop({ status: 'paused' })), /\|Resume\|Add context…\|/);
  assert.match(await labels(aLoop({ status: 'waiting', continue: '/x' })), /\|Pause\|Continue now\|/);
  assert.match(await labels(aLoop({ status: 'CANCELLED', continue: '/x' })), /\|Continue now\|Show history\|This window/);
});

test('a window without the program says so', async () => {
  fake.reset(undefined);
  const a = new Actions({ loops: () => [aLoop()], folders: () => [], program: () => undefined } as unknown as Window);
  await a.pause();
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(String(fake.asked[0]?.args[0]), /the program is not found/);
});

test('the start form', async () => {
  const s = scene([], { stdout: 'The loop k7f2a is pending.\n/ralph-loop --continue k7f2a\n' });
  const cursor = (play: Record<string, () => unknown>) => new Cursor({ cursor: undefined, getCommands: async () => Object.keys(play), execute: async (c) => play[c]?.() }, 30);
  let created = 0;
  fake.reset('-- task', (items: { label: string }[]) => items.find((i) => i.label === 'Another command…'), 'make "x y"', '7', '2h', 'Begin in a New Chat');
  await start(s.actions, cursor({ 'composer.createNew': () => created++ }));
  assert.deepEqual(s.ran, [['start', '--max-iterations=7', '--verify=make "x y"', '--max-duration=2h', '--', '-- task']]);
  assert.equal(created, 1);
  for (const left of [0, 1, 2, 3]) {
    fake.reset(...['task', (items: { label: string }[]) => items.find((i) => i.label === 'No command'), '7'].slice(0, left));
    await start(s.actions, cursor({}));
    assert.equal(s.ran.length, 1, `left at question ${left + 1}`);
  }
  const fails = cursor({ 'composer.createNew': () => Promise.reject(new Error('no')) });
  fake.clipboard.text = '';
  fake.reset('task', (items: { label: string }[]) => items.find((i) => i.label === 'No command'), '7', '', 'Begin in a New Chat');
  await start(s.actions, fails);
  assert.equal(fake.clipboard.text, '/ralph-loop --continue k7f2a');
});

test('what the form refuses', () => {
  for (const good of ['1', '20', ' 10000 ']) assert.equal(wrongIterations(good), undefined);
  for (const bad of ['', '0', '10001', '-1', '1.5', 'x', '1e3']) assert.ok(wrongIterations(bad), bad);
  for (const good of ['', '90m', '2h30m', '1.5h']) assert.equal(wrongDuration(good), undefined);
  for (const bad of ['2', 'h', '2 h', '-2h', '2d']) assert.ok(wrongDuration(bad), bad);
  assert.deepEqual(argumentsOf({ task: '--replace', verify: '', iterations: 1, duration: '' }), ['start', '--max-iterations=1', '--', '--replace']);
  assert.equal(lineOf('nothing'), undefined);
});

test('the status bar', () => {
  const bar = new StatusBar();
  const item = fake.items.at(-1) as { text: string; shown: boolean; tooltip: unknown; backgroundColor?: { id: string } };
  bar.show([aLoop({ prompt: hostile })], undefined);
  assert.equal(item.text, '$(sync~spin) Loop • Running • Iter 3/20');
  assert.equal(typeof item.tooltip, 'string');
  bar.show([aLoop({ status: 'waiting', waiting_for: '$(x)' })], undefined);
  assert.equal(item.text, '$(bell) Loop • Waiting ($ (x)) • Iter 3/20');
  assert.equal(item.backgroundColor?.id, 'statusBarItem.warningBackground');
  bar.show([], undefined);
  assert.equal(item.shown, false);
  bar.show([], 'it ended');
  assert.ok(item.shown);
});

test('the tree', async () => {
  const history = async () => [{ number: 1, seconds: 5, promise: 'refused', refused: hostile, tools: [], files: ['a b.go'], errors: [] }];
  const tree = new LoopTree(() => [aLoop({ status: 'CANCELLED', id: 'z' }), aLoop({ prompt: hostile })], history as never, ((l: Loop, f: string) => fake.Uri.file(`${l.workspace}/${f}`)) as never);
  const roots = await tree.getChildren();
  assert.deepEqual(roots.map((n) => 'loop' in n && n.loop.id), ['k7f2a', 'z']);
  const [first] = roots;
  assert.ok(first);
  const item = tree.getTreeItem(first);
  assert.doesNotMatch(String(item.label), /\$\(/);
  assert.equal(typeof item.tooltip, 'string');
  assert.equal(item.contextValue, 'loop live pausable');
  const [iteration] = await tree.getChildren(first);
  assert.ok(iteration);
  assert.match(String(tree.getTreeItem(iteration).description), /^5 s • 0 tool calls • 1 file • promise refused/);
  const [file] = await tree.getChildren(iteration);
  assert.ok(file);
  assert.equal(tree.getTreeItem(file).label, 'a b.go');
  assert.equal(contextOf(aLoop({ status: 'MAX_ITERATIONS_REACHED', continue: '/x' })), 'loop continuable');
});

test('settings of any type', () => {
  fake.reset();
  assert.deepEqual(settings(), { program: '', notices: 'all', statusBar: true, delivery: true, registerPlugin: true });
  for (const name of ['program', 'notices', 'statusBar']) fake.configured.set(name, 5);
  assert.equal(settings().notices, 'all');
  assert.equal(settings().program, '');
  fake.configured.set('delivery', false);
  assert.equal(settings().delivery, false);
});
