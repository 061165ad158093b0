import assert from 'node:assert/strict';
import test from 'node:test';
import * as fake from './fake/vscode';
import { Actions, type Window } from '../src/actions';
import { Boxes } from '../src/boxes';
import { Cursor } from '../src/cursor';
import type { Loop } from '../src/loops';
import type { Outcome } from '../src/program';
import { Delivery, type Desk } from '../src/delivery';
import { Reports } from '../src/report';
import { settings } from '../src/settings';
import { Setup } from '../src/setup';
import manifest from '../package.json';
import printed from '../generated/printed.json';
import { lineOf, Start } from '../src/start';
import { StatusBar } from '../src/statusbar';
import { contextOf, LoopTree, type Node } from '../src/tree';
import { form, history, hostile, loop, remembering } from './loop';

const done: Outcome = { code: 0, stdout: '', what: '', hint: '' };

type Play = Record<string, (...args: unknown[]) => unknown>;

// editor is one with some commands; Cursor has those of chats.
function editor(play: Play, name = 'Cursor'): Cursor {
  return new Cursor({ cursor: undefined, name, getCommands: async () => Object.keys(play), execute: async (c, ...args) => play[c]?.(...args) }, 30);
}

const desk: Desk = {
  readClipboard: () => Promise.resolve(fake.clipboard.text),
  writeClipboard: (t) => Promise.resolve(void (fake.clipboard.text = t)),
  canLeave: () => true,
  watch: () => ({ strayed: () => undefined, dispose: () => undefined }),
  idle: () => Infinity,
  asked: () => Infinity,
  sleep: () => Promise.resolve(),
};

// What cursor-ralph is asked without the user.
const asks = (args: readonly string[]): boolean => args[1] === 'status';

interface More {
  answer?: (args: readonly string[]) => Partial<Outcome>;
  cursor?: Cursor;
  settled?: Promise<unknown>;
}

function scene(loops: Loop[], { answer = () => ({}), cursor = editor({}), settled = Promise.resolve() }: More = {}) {
  const ran: string[][] = [];
  const inputs: (string | undefined)[] = [];
  const waits: unknown[] = [];
  const reports: string[] = [];
  const dismissed: string[] = [];
  const said: string[] = [];
  const run = (args: readonly string[], o: { ms?: number; input?: string } = {}): Promise<Outcome> => {
    if (!asks(args)) ran.push([...args]);
    inputs.push(o.input);
    waits.push(o.ms);
    return Promise.resolve({ ...done, ...answer(args) });
  };
  const kept = new Map<string, unknown>();
  const memory = { get: (name: string, usual: unknown) => kept.get(name) ?? usual, update: async (name: string, v: unknown) => void kept.set(name, v) };
  const w: Window = {
    loops: () => loops, folders: () => ['/code/repo'], program: () => ({ path: '/bin/cursor-ralph', run }) as never, trouble: () => undefined, settled: () => settled,
    report: (l) => reports.push(l.id), dismiss: (l) => dismissed.push(l.id), begin: (line) => start.begin(line),
    boxes: new Boxes(), output: { appendLine: (text: string) => said.push(text), show: () => undefined } as never,
  };
  const delivery = new Delivery(cursor, desk, remembering());
  const actions = new Actions(w, cursor, delivery);
  const start = new Start(actions, cursor, delivery, memory as never);
  return { ran, inputs, waits, reports, dismissed, said, delivery, actions, start, kept };
}

test('commands act on the loop they are about', async () => {
  const s = scene([loop('running')]);
  fake.reset();
  await s.actions.asked('pause')();
  await s.actions.asked('pause')({ loop: loop('running') });
  await s.actions.asked('pause')('g7f2a');
  assert.deepEqual(s.ran, [['pause', 'g7f2a'], ['pause', 'g7f2a'], ['pause', 'g7f2a']]);
  await s.actions.asked('resume')();
  assert.equal(fake.asked.at(-1)?.args[0], 'No loop here can do that now.');
  await s.actions.asked('resume')('g7f2a');
  assert.equal(fake.asked.at(-1)?.args[0], 'The loop has gone on: 3/20 running', 'a notice may be old');
  await s.actions.asked('pause')('zz999');
  assert.equal(fake.asked.at(-1)?.args[0], 'This window does not know loop zz999.');
  assert.equal(s.ran.length, 3);
});

test('of several loops here the user picks one, and hostile tasks are text', async () => {
  fake.reset((items: { loop: Loop }[]) => items.find((i) => i.loop.id === 'g7f2a'));
  const s = scene([loop('hostile'), loop('running'), loop('elsewhere')]);
  await s.actions.asked('pause')();
  assert.deepEqual(s.ran, [['pause', 'g7f2a']]);
  const [items] = fake.asked[0]?.args as [{ label: string }[]];
  assert.equal(items.length, 2, 'those of other folders are not meant');
  assert.ok(items.every((i) => !i.label.includes('$(')));
});

test('cancel asks first, in our own box', async () => {
  const s = scene([loop('running')]);
  fake.reset(() => assert.equal(s.actions.boxes.idle(), 0));
  await s.actions.asked('cancel')();
  assert.deepEqual(s.ran, []);
  fake.reset('Cancel the Loop');
  await s.actions.asked('cancel')();
  assert.deepEqual(s.ran, [['cancel', 'g7f2a']]);
});

test('context is one argument, whatever it says', async () => {
  const s = scene([loop('running')]);
  fake.reset('--replace; $(x)');
  await s.actions.asked('context')();
  assert.deepEqual(s.ran, [['context', 'g7f2a', '--', '--replace; $(x)']]);
  fake.reset('   ');
  await s.actions.asked('context')();
  assert.equal(s.ran.length, 1);
});

test('what cursor-ralph complains about is shown, as text', async () => {
  const s = scene([loop('running')], { answer: () => ({ code: 1, what: 'no loop [x](command:y)', hint: 'name one' }) });
  fake.reset();
  await s.actions.asked('pause')();
  assert.equal(fake.asked[0]?.args[0], 'cursor-ralph: no loop [x] (command:y) — name one');
});

test('continue now types, also for a cancelled loop, or offers the line', async () => {
  const s = scene([loop('waiting'), loop('cancelled'), loop('failed')]);
  fake.reset();
  await s.actions.asked('continue')('h7f2a');
  await s.actions.asked('continue')('q7f2a');
  await s.actions.asked('resume')('m7f2a');
  assert.deepEqual(s.ran, [['resume', 'h7f2a', '--type'], ['continue', 'q7f2a'], ['resume', 'q7f2a', '--type'], ['resume', 'm7f2a', '--type']]);
  assert.deepEqual(new Set(s.waits), new Set([150_000]), 'a delivery is not cut off while the line may still arrive');
  assert.equal(fake.asked.length, 0);
  const failing = scene([loop('cancelled')], { answer: (args) => (args.includes('--type') ? { code: 1, what: 'no way of typing works' } : {}) });
  fake.reset('Copy Line');
  await failing.actions.asked('continue')();
  assert.equal(fake.clipboard.text, '/ralph-loop --continue q7f2a');
});

test('a loop that awaits a new chat is not continued in the old one', async () => {
  const created: unknown[] = [];
  const s = scene([loop('newchat')], { cursor: editor({ 'composer.createNew': (o) => created.push(o) }) });
  fake.clipboard.text = 'what the user copied';
  fake.reset('Open New Chat');
  await s.actions.asked('continue')();
  const line = loop('newchat').chat_line ?? '';
  assert.match(String(fake.asked[0]?.args[0]), new RegExp(`goes on in a new chat, which has not begun.*: ${line}$`));
  assert.deepEqual(fake.asked[0]?.args.slice(1), ['Open New Chat', 'Copy Line']);
  assert.deepEqual(created, [{ partialState: { text: line } }], 'the user sends it');
  assert.equal(fake.clipboard.text, 'what the user copied');
  assert.deepEqual(s.ran, []);
});

test('a pending loop begins from the view, the menu and the palette', async () => {
  const created: unknown[] = [];
  const s = scene([loop('pending')], { cursor: editor({ 'composer.createNew': (o) => created.push(o) }) });
  fake.reset((items: { way: string }[]) => items.find((i) => i.way === 'new'));
  await s.actions.asked('begin')({ loop: loop('pending') });
  assert.deepEqual(created, [{ partialState: { text: '/ralph-loop --continue z7f2a' }, autoSubmit: true }]);
  fake.reset((items: { way: string }[]) => items.find((i) => i.way === 'copy'));
  await s.actions.asked('begin')();
  assert.equal(fake.clipboard.text, '/ralph-loop --continue z7f2a');
});

test("the menu has the live loop's actions, the most useful first, and its first row is short", async () => {
  const labels = async (...loops: Loop[]): Promise<string> => {
    fake.reset((items: unknown[]) => (loops.length > 1 ? items[0] : undefined), undefined);
    await scene(loops).actions.menu();
    const [items, options] = (fake.asked.at(-1)?.args ?? []) as [{ label: string }[], { title: string }];
    return `${options.title}: ${items.map((i) => i.label).join('|')}`;
  };
  const rest = "\\|Show report\\|Open the loop's chat\\|Show what was decided and why\\|\\|Start a loop…\\|Show all loops$";
  assert.match(await labels(loop('running')), new RegExp(`^running: make the tests pass • 3/20 running: Pause\\|Add context…\\|Cancel…${rest}`));
  assert.match(await labels(loop('waiting')), /: Continue now\|Pause\|/);
  assert.match(await labels(loop('running'), loop('failed')), /paused \(error\): Resume\|Add context…\|/, 'of several, the one that needs the user is the first to pick');
  assert.match(await labels(loop('cancelled')), /: Continue now\|Show report\|.*\|Dismiss from the status bar\|/);
  const wide = { ...loop('running').item, title: '字'.repeat(30) };
  assert.match(await labels(loop('running', { item: wide })), /: Pause\|/, 'wide letters are in the title');
});

test('a window without the program says why', async () => {
  fake.reset(undefined);
  const trouble = 'the setting cursorRalph.program is /x, and that is no program';
  const a = new Actions({ loops: () => [loop('running')], folders: () => [], program: () => undefined, trouble: () => trouble, settled: async () => undefined } as unknown as Window, editor({}), {} as Delivery);
  for (const act of [a.asked('pause'), a.menu, a.doctor, a.log]) {
    fake.reset(undefined);
    await act();
    assert.equal(fake.asked[0]?.args[0], `cursor-ralph: ${trouble}`);
  }
});

test('doctor waits until the hooks are registered', async () => {
  let settle = (): void => undefined;
  const s = scene([], { settled: new Promise<void>((resolve) => (settle = resolve)) });
  fake.reset();
  const checked = s.actions.doctor();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(s.ran, []);
  settle();
  await checked;
  assert.deepEqual(s.ran, [['doctor']]);
});

const started = (args: readonly string[]): Partial<Outcome> =>
  ({ form: { stdout: args[1] === '--read' ? JSON.stringify({ schema: 1, args: ['start', '--', 'task'] }) : form }, start: { stdout: 'The loop k7f2a is pending.\n/ralph-loop --continue k7f2a\n' } })[args[0] ?? ''] ?? {};
const line = '/ralph-loop --continue k7f2a';

// write opens the form, and writes a task into it.
async function write(s: ReturnType<typeof scene>, task: string): Promise<fake.Document> {
  await s.start.open();
  const document = fake.window.activeTextEditor?.document;
  assert.ok(document);
  assert.equal(document.text, form);
  document.text += task;
  return document;
}

test('a loop is started in one document, which keeps the task word for word', async () => {
  const created: unknown[] = [];
  const s = scene([], { answer: started, cursor: editor({ 'composer.createNew': (o) => created.push(o) }) });
  fake.reset();
  const task = 'Fix these:\n\n- one\n  - two $(x)\n';
  const document = await write(s, task);
  const lenses = await s.start.provideCodeLenses(document as never);
  assert.deepEqual(lenses.map((l) => l.command?.title), ['$(play) Start in a new chat']);
  assert.deepEqual(await s.start.provideCodeLenses(new fake.Document('# mine', 'untitled:2') as never), [], "the user's own documents have no button");
  await s.start.start('new');
  assert.deepEqual(s.ran, [['form'], ['form', '--read'], ['start', '--', 'task']]);
  assert.equal(s.inputs[1], form + task);
  assert.deepEqual(created, [{ partialState: { text: line }, autoSubmit: true }]);
  assert.ok(fake.asked.some((a) => a.args[0] === 'workbench.action.revertAndCloseActiveEditor'));
  assert.deepEqual(s.kept.get('cursorRalph.forms'), {});
  assert.equal(fake.asked.filter((a) => ['input', 'pick'].includes(a.kind)).length, 0, 'without a box');
});

test('what is wrong with the form is said, and it stays', async () => {
  const s = scene([], { answer: (args) => (args[1] === '--read' ? { code: 1, what: 'write what the agent should do below the options' } : started(args)) });
  fake.reset();
  await write(s, '');
  await s.start.start('new');
  assert.match(String(fake.asked.at(-1)?.args[0]), /write what the agent should do/);
  assert.equal(Object.keys(s.kept.get('cursorRalph.forms') as object).length, 1);
});

test('a loop begins in the current chat, in a new one, or by hand', async () => {
  let pasted: string | undefined;
  const good = (): Play => ({
    'composer.openComposer': () => undefined,
    'composer.getOrderedSelectedComposerIds': () => ['chat-1'],
    'workbench.action.focusStatusBar': () => undefined,
    'composer.focusComposer': () => undefined,
    'editor.action.clipboardPasteAction': () => (pasted = fake.clipboard.text),
    'composer.createNew': () => undefined,
  });
  const play = async (commands: Play, way: string, answer?: string): Promise<string> => {
    fake.clipboard.text = 'what the user copied';
    pasted = undefined;
    const s = scene([], { answer: started, cursor: editor(commands) });
    fake.reset();
    await write(s, 'task');
    fake.answers.push(answer);
    await s.start.start(way);
    return String(fake.asked.filter((a) => ['information', 'warning'].includes(a.kind)).at(-1)?.args[0] ?? '');
  };
  assert.match(await play(good(), 'current'), /^Press Enter in the chat to begin the loop\. If its line is not in the input, copy it\./, 'a paste is not claimed to have arrived');
  assert.deepEqual([pasted, fake.clipboard.text], [line, 'what the user copied']);
  const { 'composer.focusComposer': _, ...blind } = good();
  assert.match(await play(blind, 'current'), /^The line could not be put into the chat: composer.focusComposer does not exist/);
  assert.deepEqual([pasted, fake.clipboard.text], [undefined, line]);
  assert.match(await play({ ...good(), 'composer.createNew': () => Promise.reject(new Error('no')) }, 'new'), /^No chat was opened/);
  assert.equal(fake.clipboard.text, line);
});

test('in an editor that is not Cursor the loop starts in a terminal', async () => {
  const s = scene([], { answer: (args) => (args[1] === '--read' ? { stdout: JSON.stringify({ args: ['run', '--agent=claude', '--', 'task'] }) } : started(args)), cursor: editor({}, 'VSCodium') });
  fake.reset();
  fake.ran.length = 0;
  const document = await write(s, 'task');
  assert.deepEqual((await s.start.provideCodeLenses(document as never)).map((l) => l.command?.title), ['$(play) Start in a terminal']);
  await s.start.start();
  assert.deepEqual(s.ran, [['form', '--run'], ['form', '--read', '--run']]);
  assert.deepEqual(fake.ran.map((t) => [t.execution.process, t.execution.args, t.execution.options]), [['/bin/cursor-ralph', ['run', '--agent=claude', '--', 'task'], { cwd: '/code/repo' }]]);
});

test('in Restricted Mode nothing is started: trust is asked for first', async (t) => {
  fake.workspace.isTrusted = false;
  t.after(() => (fake.workspace.isTrusted = true));
  const s = scene([loop('failed'), loop('waiting'), loop('pending')], { answer: (args) => (asks(args) ? { stdout: '{"on":false}' } : {}) });
  const starts = [s.start.open, s.actions.loopMode, () => s.actions.asked('resume')('m7f2a'), () => s.actions.asked('continue')('h7f2a'), () => s.actions.asked('begin')('z7f2a')];
  for (const act of starts) {
    fake.reset('Manage Workspace Trust');
    await act();
    assert.match(String(fake.asked[0]?.args[0]), /^(A loop|Loop mode) needs a trusted folder/);
    assert.deepEqual(fake.asked.slice(1), [{ kind: 'command', args: ['workbench.trust.manage'] }]);
  }
  assert.deepEqual(s.ran, []);
  fake.reset();
  await s.actions.asked('pause')('h7f2a');
  assert.deepEqual(s.ran, [['pause', 'h7f2a']], 'what stops a loop works');
});

test('loop mode is one toggle', async () => {
  for (const [on, command] of [[true, 'off'], [false, 'on']] as const) {
    const s = scene([], { answer: (args) => (asks(args) ? { stdout: JSON.stringify({ on }) } : {}) });
    fake.reset();
    await s.actions.loopMode();
    assert.deepEqual(s.ran, [['loop-mode', command, '--workspace', '/code/repo']]);
  }
});

test('in an editor that is not Cursor each command works, or says what it needs', async () => {
  const l = loop('waiting');
  const s = scene([l], { cursor: editor({}, 'VSCodium [x](command:y)') });
  const setup = new Setup({ extensionPath: '/ext', environmentVariableCollection: {} } as never, s.actions.cursor, s.actions, { appendLine: () => undefined } as never);
  for (const act of [s.actions.openChat, s.actions.loopMode, () => setup.installByProgram()]) {
    fake.reset();
    await act();
    assert.match(String(fake.asked[0]?.args[0]), /needs Cursor, and this is VSCodium \[x\] \(command:y\)\. Loops of `cursor-ralph run` can be seen/);
  }
  setup.dispose();
  assert.deepEqual(s.ran, []);
  const gone = loop('waiting', { kind: 'run', actions: [{ name: 'continue', title: 'x', steps: [['run', '--resume', 'h7f2a']], terminal: true }] });
  fake.ran.length = 0;
  await scene([gone]).actions.asked('continue')();
  assert.deepEqual(fake.ran.map((t) => t.execution.args), [['run', '--resume', 'h7f2a']]);
});

test('the user learns once that Cursor runs no hooks of plugins, and can have them installed', async () => {
  const s = scene([], { answer: (args) => (args[0] === 'editor' ? { stdout: 'Cursor runs no hooks of plugins: [x](command:y)\n' } : {}), cursor: editor({}) });
  const context = { extensionPath: '/ext', extension: { packageJSON: {} }, environmentVariableCollection: {} };
  const setup = new Setup(context as never, s.actions.cursor, s.actions, { appendLine: () => undefined } as never);
  fake.reset('Install Hooks', undefined);
  const send = (): Promise<void> => (setup as unknown as { send(i: unknown): Promise<void> }).send({ how: 'plugin', folder: '/ext/plugin' });
  await send();
  await send();
  await new Promise(setImmediate);
  setup.dispose();
  assert.deepEqual(fake.asked.map((a) => a.args[0]), ['Cursor runs no hooks of plugins: [x] (command:y)', "cursor-ralph's hooks and slash commands are installed."]);
  assert.deepEqual(s.ran.filter(([name]) => name === 'install'), [['install']]);
});

type Item = { text: string; shown: boolean; tooltip: string; backgroundColor: { id: string } | undefined };

const color = (i: Item): string | undefined => i.backgroundColor?.id;

test('the chip is about this folder, highlights what needs the user, and tells trouble', () => {
  const bar = new StatusBar();
  const item = fake.items.at(-1) as unknown as Item;
  bar.show([loop('running'), loop('elsewhere')], undefined);
  assert.equal(item.text, '$(sync~spin) Loop • Running • Iter 3/20');
  assert.equal(color(item), undefined);
  assert.match(item.tooltip, /^Loop g7f2a: running, iteration 3 of 20\n.*\nstarted .*\nlast event 20[0-9-]+ [0-9:]+\n/s, 'moments, which stay right');
  for (const name of ['waiting', 'failed', 'newchat', 'pending']) {
    bar.show([loop(name)], undefined);
    assert.equal(color(item), 'statusBarItem.warningBackground', name);
  }
  bar.show([loop('paused')], undefined);
  assert.equal(color(item), undefined, 'the user paused it');
  bar.show([loop('running'), loop('failed'), loop('waiting')], undefined);
  assert.equal(item.text, '$(bell) 3 loops • 2 need you');
  bar.show([loop('running')], 'it ended with exit code 1');
  assert.deepEqual([item.text, item.tooltip], ['$(warning) Loop • Trouble', 'cursor-ralph: it ended with exit code 1'], 'a dead program does not look healthy');
  bar.show([loop('elsewhere')], undefined);
  assert.equal(item.shown, false);
  bar.show([loop('accepted')], undefined);
  assert.match(item.text, /^\$\(pass\) Loop • Promise accepted/);
  bar.dismiss('r7f2a');
  assert.equal(item.shown, false);
  bar.show([loop('accepted')], undefined);
  assert.equal(item.shown, false, 'it stays dismissed');
  bar.show([loop('running', { chip: '$(x) y' })], undefined);
  assert.match(item.text, /\$ \(x\) y$/);
});

// shown is the tree as text.
async function shown(tree: LoopTree, node?: Node, indent = ''): Promise<string[]> {
  const lines: string[] = [];
  for (const n of await tree.getChildren(node)) {
    const i = tree.getTreeItem(n);
    lines.push(`${indent}${String(i.label)} – ${String(i.description ?? '')}`);
    if ('group' in n) lines.push(...(await shown(tree, n, '  ')));
  }
  return lines;
}

test('the tree has groups, a stable order, a badge, and says what is wrong', async () => {
  let all = false;
  const names = ['running', 'waiting', 'failed', 'paused', 'elsewhere', 'cancelled', 'accepted'];
  const loops = names.map((n) => loop(n));
  const tree = new LoopTree({ loops: () => loops, all: () => all, history: async () => history, uri: ((l: Loop, f: string) => fake.Uri.file(`${l.workspace}/${f}`)) as never });
  const view = fake.treeViews.at(-1);
  const want = [
    'Needs you – 2', '  waiting: make t… – 3/20 waiting (continuation)', '  failed: make th… – 3/20 paused (error)',
    'Running – 2', '  running: make t… – 3/20 running', '  paused: make th… – 3/20 paused (user)',
    'Ended – 2', '  cancelled: make… – 3/20 cancelled', '  accepted: make … – 2/20 promise accepted', '  Show older ones… – ',
    'In other folders – 1', '  elsewhere: make… – 3/20 running',
  ];
  assert.deepEqual(await shown(tree), want);
  loops.reverse();
  loops.forEach((l, i) => (loops[i] = { ...l, last_event_at: new Date(i * 1e9).toISOString() }));
  assert.deepEqual(await shown(tree), want, 'events move no row');
  all = true;
  assert.ok(!(await shown(tree)).join().includes('Show older'));
  tree.draw('it ended');
  assert.deepEqual([view?.badge?.value, view?.message], [2, 'No news of loops: it ended']);
  tree.draw(undefined);
  assert.equal(view?.message, undefined);
  loops.length = 0;
  assert.deepEqual(await shown(tree), [], 'then the view has its welcome');
});

test('a row of the tree', async () => {
  const tree = new LoopTree({ loops: () => [], all: () => true, history: async () => history, uri: ((l: Loop, f: string) => fake.Uri.file(`${l.workspace}/${f}`)) as never });
  const item = tree.getTreeItem({ loop: loop('hostile') });
  assert.doesNotMatch(String(item.label), /\$\(|[\u0007\u202e]/);
  assert.equal(typeof item.tooltip, 'string');
  assert.deepEqual(item.command?.arguments, ['n7f2a'], 'Enter shows the report, which has all actions');
  assert.equal(contextOf(loop('running')), 'loop pause context cancel chat');
  assert.equal(contextOf(loop('pending')), 'loop begin context cancel line');
  const [refused, first] = await tree.getChildren({ loop: loop('running') });
  assert.ok(refused && first);
  assert.equal(tree.getTreeItem(refused).description, '40s • 2 tool calls • 2 files • promise refused: the verification failed');
  assert.equal(tree.getTreeItem(first).description, '1m • 1 tool call • 1 file');
});

test('every inline action is in the context menu', () => {
  const menu = manifest.contributes.menus['view/item/context'];
  const inline = new Set(menu.filter((m) => m.group.startsWith('inline')).map((m) => `${m.command} ${m.when}`));
  const others = new Set(menu.filter((m) => !m.group.startsWith('inline')).map((m) => `${m.command} ${m.when}`));
  assert.ok(inline.size > 3);
  for (const one of inline) assert.ok(others.has(one), one);
});

test('a report is the page of cursor-ralph, with its actions and files', async () => {
  const did: unknown[] = [];
  let page: string = printed.page;
  const source = { find: () => loop('running'), page: async () => page, history: async () => history, uri: (_: Loop, f: string) => fake.Uri.file(f), act: (l: Loop, name: string) => did.push([l.id, name]) };
  const reports = new Reports(source as never, {} as never);
  fake.reset();
  reports.open(loop('running'));
  await new Promise((resolve) => setImmediate(resolve));
  const panel = fake.panels.at(-1);
  assert.ok(panel);
  assert.equal(panel.html, printed.page);
  assert.equal(panel.title, 'running: make the tests pass');
  assert.match(panel.html, /--- FAIL: TestX/, 'the output of the verification that refused');
  panel.send({ act: 'pause' });
  panel.send({ file: 'b/c d.go', iteration: 2 });
  panel.send({ file: '/etc/passwd', iteration: 2 });
  panel.send({ file: 'a.go', iteration: 1 });
  for (const odd of [null, 5, 'x', { act: 5 }, { file: 5 }]) panel.send(odd);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([...did], [['g7f2a', 'pause']]);
  assert.deepEqual(fake.asked.map((a) => a.args[0]), ['vscode.open', 'vscode.diff'], 'no file that the iteration did not change');
  page = 'newer';
  reports.changed(['g7f2a', 'other']);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(panel.sent, [{ html: 'newer' }]);
  const restored = { webview: { onDidReceiveMessage: () => undefined }, onDidDispose: () => undefined, onDidChangeViewState: () => undefined, dispose: () => void did.push('disposed') };
  await reports.deserializeWebviewPanel(restored as never, { id: '../x' });
  await reports.deserializeWebviewPanel(restored as never, { id: 'h7f2a', open: [], y: 3 });
  assert.deepEqual(did.slice(1), ['disposed']);
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

test('the line of a start', () => {
  assert.equal(lineOf('x\n/ralph-loop --continue k7f2a\n'), '/ralph-loop --continue k7f2a');
  assert.equal(lineOf('nothing'), undefined);
  assert.doesNotMatch(hostile, /--continue/);
});
