import assert from 'node:assert/strict';
import test from 'node:test';
import * as fake from './fake/vscode';
import { Actions, type Window } from '../src/actions';
import { Cursor } from '../src/cursor';
import type { Loop } from '../src/loops';
import type { Outcome } from '../src/program';
import { Delivery, type Desk } from '../src/delivery';
import { settings } from '../src/settings';
import { Setup } from '../src/setup';
import manifest from '../package.json';
import { argumentsOf, lineOf, parseDefaults, start, wrongDuration, wrongFresh, wrongIterations } from '../src/start';
import { StatusBar } from '../src/statusbar';
import { contextOf, LoopTree } from '../src/tree';
import { aLoop, hostile, remembering } from './loop';

const done: Outcome = { code: 0, stdout: '', what: '', hint: '' };

type Play = Record<string, (...args: unknown[]) => unknown>;

// editor is one with some commands; Cursor has those of chats.
function editor(play: Play, name = 'Cursor'): Cursor {
  return new Cursor({ cursor: undefined, name, getCommands: async () => Object.keys(play), execute: async (c, ...args) => play[c]?.(...args) }, 30);
}

// What cursor-ralph is asked without the user.
const asks = (args: readonly string[]): boolean => args[0] === 'config' || args[1] === 'status';

function scene(loops: Loop[], answer: Partial<Outcome> = {}, cursor = editor({}), asked: Record<string, string> = {}) {
  const ran: string[][] = [];
  const shownDetails: string[] = [];
  const said: string[] = [];
  const waits: unknown[] = [];
  const run = (args: readonly string[], options: { ms?: number } = {}) => waits.push(options.ms) && Promise.resolve(asks(args) ? { ...done, stdout: asked[args[0] ?? ''] ?? '' } : (ran.push([...args]), { ...done, ...answer }));
  const w = {
    loops: () => loops,
    folders: () => ['/code/repo'],
    program: () => ({ path: 'x', run, stream: () => undefined }),
    details: (l: Loop) => shownDetails.push(l.id),
    output: { appendLine: (t: string) => said.push(t), show: () => undefined },
  } as unknown as Window;
  const delivery = new Delivery(cursor, desk, remembering());
  return { ran, waits, shownDetails, said, delivery, actions: new Actions(w, cursor, delivery) };
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

test('a delivery is not cut off while the line may still arrive', async () => {
  fake.reset();
  const s = scene([aLoop({ status: 'paused', continue: '/ralph-loop --continue 4f1d-1b0e' })]);
  await s.actions.resume();
  await s.actions.continueNow();
  assert.deepEqual(s.ran, [['resume', 'k7f2a', '--inject'], ['inject', '4f1d-1b0e']]);
  assert.deepEqual(s.waits, [150_000, 150_000]);
});

test('a loop that awaits a new chat is not continued in the old one', async () => {
  const waiting = aLoop({ status: 'waiting', new_chat: true, continue: '/ralph-loop --continue 4f1d-1b0e' });
  const created: unknown[] = [];
  const s = scene([waiting], {}, editor({ 'composer.createNew': (o) => created.push(o) }));
  fake.clipboard.text = 'what the user copied';
  fake.reset('Open New Chat');
  await s.actions.continueNow();
  assert.match(String(fake.asked[0]?.args[0]), /goes on in a new chat, which has not begun.*: \/ralph-loop --continue 4f1d-1b0e$/);
  assert.deepEqual(fake.asked[0]?.args.slice(1), ['Open New Chat', 'Copy Line']);
  assert.deepEqual(created, [{ partialState: { text: '/ralph-loop --continue 4f1d-1b0e' } }], 'the user sends it');
  assert.equal(fake.clipboard.text, 'what the user copied');
  assert.deepEqual(s.ran, []);

  const paused = scene([aLoop({ ...waiting, status: 'paused', new_chat: true, continue: '/ralph-loop --continue 4f1d-1b0e' })]);
  fake.reset('Copy Line');
  await paused.actions.resume();
  assert.deepEqual(paused.ran, [['resume', 'k7f2a']]);
  assert.deepEqual(fake.asked[0]?.args.slice(1), ['Copy Line'], 'this editor creates none');
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
  const a = new Actions({ loops: () => [aLoop()], folders: () => [], program: () => undefined } as unknown as Window, editor({}), {} as Delivery);
  await a.pause();
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(String(fake.asked[0]?.args[0]), /the program is not found/);
});

const desk: Desk = {
  readClipboard: () => Promise.resolve(fake.clipboard.text),
  writeClipboard: (t) => Promise.resolve(void (fake.clipboard.text = t)),
  canLeave: () => true,
  watch: () => ({ strayed: () => undefined, dispose: () => undefined }),
  idle: () => Infinity,
  sleep: () => Promise.resolve(),
};
const pending = { stdout: 'The loop k7f2a is pending.\n/ralph-loop --continue k7f2a\n' };
const line = '/ralph-loop --continue k7f2a';
const pick = (label: string) => (items: { label: string }[]) => items.find((i) => i.label === label);
const form = (...last: unknown[]): unknown[] => ['task', pick('No command'), '7', '', '0', ...last];

test('the start form', async () => {
  let created = 0;
  const s = scene([], pending, editor({ 'composer.createNew': () => created++ }));
  const begin = () => start(s.actions, s.delivery);
  fake.reset('-- task', pick('Another command…'), 'make "x y"', '7', '2h', '4', 'Begin in a New Chat');
  await begin();
  assert.deepEqual(s.ran, [['start', '--max-iterations=7', '--verify=make "x y"', '--max-duration=2h', '--fresh-chat=4', '--', '-- task']]);
  assert.equal(created, 1);
  for (const left of [0, 1, 2, 3, 4]) {
    fake.reset(...form().slice(0, left));
    await begin();
    assert.equal(s.ran.length, 1, `left at question ${left + 1}`);
  }
});

test('a loop begins in the current chat, in a new one, or by hand', async () => {
  const good = (): Play => ({
    'composer.openComposer': () => undefined,
    'composer.getOrderedSelectedComposerIds': () => ['chat-1'],
    'workbench.action.focusStatusBar': () => undefined,
    'composer.focusComposer': () => undefined,
    'editor.action.clipboardPasteAction': () => (pasted = fake.clipboard.text),
    'composer.createNew': () => undefined,
  });
  let pasted: string | undefined;
  const play = async (commands: Play, button: string): Promise<unknown[]> => {
    fake.clipboard.text = 'what the user copied';
    pasted = undefined;
    fake.reset(...form(button));
    const s = scene([], pending, editor(commands));
    await start(s.actions, s.delivery);
    const offers = fake.asked.findIndex((a) => String(a.args[0]).startsWith('The loop is pending'));
    return [fake.asked[offers]?.args.slice(1), String(fake.asked[offers + 1]?.args[0] ?? '')];
  };
  assert.deepEqual(await play(good(), 'Begin in the Current Chat'), [['Begin in the Current Chat', 'Begin in a New Chat', 'Copy Line'], 'The line is in the chat: press Enter there to begin the loop.']);
  assert.deepEqual([pasted, fake.clipboard.text], [line, 'what the user copied']);
  const { 'composer.focusComposer': _, ...blind } = good();
  assert.match(String((await play(blind, 'Begin in the Current Chat'))[1]), /^The line could not be put into the chat: composer.focusComposer does not exist/);
  assert.deepEqual([pasted, fake.clipboard.text], [undefined, line]);
  const { 'composer.getOrderedSelectedComposerIds': __, ...unknown } = good();
  assert.deepEqual((await play(unknown, 'Copy Line'))[0], ['Begin in a New Chat', 'Copy Line']);
  assert.equal(fake.clipboard.text, line);
  const failing = { ...good(), 'composer.createNew': () => Promise.reject(new Error('no')) };
  assert.match(String((await play(failing, 'Begin in a New Chat'))[1]), /^Cursor did not open a chat/);
  assert.equal(fake.clipboard.text, line);
  assert.deepEqual((await play({}, 'Copy Line'))[0], ['Copy Line']);
});

test("the form begins with the user's defaults", async () => {
  const config = JSON.stringify({ settings: [{ name: 'loop.max-iterations', value: '30' }, { name: 'loop.max-duration', value: '1d12h' }, { name: 'loop.verify', value: 'make check' }, { name: 'loop.fresh-chat', value: '5' }] });
  const s = scene([], pending, editor({}), { config });
  fake.reset('task', pick('make check'), (o: { value: string }) => o.value, (o: { value: string }) => o.value, (o: { value: string }) => o.value, 'Copy Line');
  await start(s.actions, s.delivery);
  assert.deepEqual(s.ran, [['start', '--max-iterations=30', '--verify=make check', '--max-duration=1d12h', '--', 'task']]);
  fake.reset('task', pick('No command'), '7', '', '5', 'Copy Line');
  await start(s.actions, s.delivery);
  assert.deepEqual(s.ran[1], ['start', '--max-iterations=7', '--no-verify', '--no-max-duration', '--', 'task']);
  for (const bad of ['', '[]', 'null', '{"settings":5}', '{"settings":[{"name":5}]}']) assert.deepEqual(parseDefaults(bad), { iterations: '20', duration: '', verify: '', fresh: '0' });
});

test('loop mode is one toggle', async () => {
  for (const [on, label, command] of [[true, 'Turn loop mode off', 'off'], [false, 'Turn loop mode on', 'on']] as const) {
    const s = scene([], {}, editor({}), { 'loop-mode': JSON.stringify({ on }) });
    fake.reset();
    await s.actions.loopMode();
    assert.deepEqual(s.ran, [['loop-mode', command, '--workspace', '/code/repo']]);
    fake.reset((items: { label: string }[]) => items.find((i) => i.label.endsWith(label)));
    await s.actions.menu();
    assert.equal(s.ran.length, 2, label);
  }
});

test('outside Cursor, what needs Cursor says so, and the rest works', async () => {
  const waiting = aLoop({ status: 'waiting', waiting_for: 'continuation', continue: 'cursor-ralph continue k7f2a', kind: 'run' });
  const s = scene([waiting], {}, editor({ 'workbench.action.focusStatusBar': () => undefined }, 'VSCodium [x](command:y)'));
  const setup = new Setup({ extensionPath: '/ext', environmentVariableCollection: {} } as never, s.actions.cursor, s.actions, { appendLine: () => undefined } as never);
  const needs: Record<string, () => Promise<void>> = { start: () => start(s.actions, s.delivery), loopMode: s.actions.loopMode, install: () => setup.installByProgram() };
  for (const [name, act] of Object.entries(needs)) {
    fake.reset();
    await act();
    assert.equal(fake.asked.length, 1, name);
    assert.match(String(fake.asked[0]?.args[0]), /needs Cursor, and this is VSCodium \[x\] \(command:y\)\. Loops of `cursor-ralph run` can be seen/, name);
  }
  setup.dispose();
  assert.deepEqual(s.ran, []);
  const others: Record<string, [act: () => Promise<void>, did: () => unknown, answer?: string]> = {
    pause: [s.actions.pause, () => s.ran.at(-1)?.[0]],
    resume: [() => s.actions.resume('k7f2a'), () => s.ran.at(-1)?.[0]],
    cancel: [s.actions.cancel, () => s.ran.at(-1)?.[0], 'Cancel the Loop'],
    context: [s.actions.context, () => s.ran.at(-1)?.[0], 'text'],
    log: [s.actions.log, () => s.ran.at(-1)?.[0]],
    why: [s.actions.why, () => s.ran.at(-1)?.[0]],
    doctor: [s.actions.doctor, () => s.ran.at(-1)?.[0]],
    continueNow: [s.actions.continueNow, () => /run this in its folder: cursor-ralph continue/.test(String(fake.asked[0]?.args[0]))],
    copyLine: [s.actions.copyLine, () => fake.clipboard.text, 'Copy Line'],
    details: [s.actions.details, () => s.shownDetails],
    menu: [s.actions.menu, () => fake.asked[0]?.kind],
  };
  const want: Record<string, unknown> = { why: 'log', continueNow: true, copyLine: 'cursor-ralph continue k7f2a', details: ['k7f2a'], menu: 'pick' };
  for (const [name, [act, did, answer]] of Object.entries(others)) {
    fake.reset(answer);
    await act();
    assert.deepEqual(did(), want[name] ?? name, name);
  }
  const all = manifest.contributes.commands.map((c) => c.command.replace('cursorRalph.', '')).filter((c) => c !== 'show');
  assert.deepEqual([...Object.keys(needs), ...Object.keys(others)].sort(), all.sort());
});

test('what the form refuses', () => {
  for (const good of ['1', '20', ' 10000 ']) assert.equal(wrongIterations(good), undefined);
  for (const bad of ['', '0', '10001', '-1', '1.5', 'x', '1e3']) assert.ok(wrongIterations(bad), bad);
  for (const [text, good] of [['0', true], ['4', true], ['10001', false], ['', false], ['-1', false]] as const) assert.equal(wrongFresh(text) === undefined, good, text);
  for (const good of ['', '90m', '2h30m', '1.5h', '1d12h']) assert.equal(wrongDuration(good), undefined);
  for (const bad of ['2', 'h', '2 h', '-2h', '2w']) assert.ok(wrongDuration(bad), bad);
  assert.deepEqual(argumentsOf({ task: '--replace', verify: '', iterations: 1, duration: '', fresh: '', without: [] }), ['start', '--max-iterations=1', '--', '--replace']);
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
