import assert from 'node:assert/strict';
import test from 'node:test';
import { Cursor } from '../src/cursor';
import { Delivery, type Desk, type Done } from '../src/delivery';
import { words } from '../src/result';
import { remembering } from './loop';

type Play = Record<string, (...args: unknown[]) => unknown>;
const throws = (): never => {
  throw new Error('boom');
};
const never = (): Promise<never> => new Promise(() => undefined);
const line = '/ralph-loop --continue chat-1';
const reasonFor = (d: Done): string | undefined => (d.ok ? undefined : d.reason);

// An editor with some of Cursor's commands, each of which may misbehave.
function scene(play: Play, desk: Partial<Desk> = {}, ms = 30) {
  const did: string[] = [];
  const host = {
    cursor: undefined,
    getCommands: () => Promise.resolve(Object.keys(play)),
    execute: async (command: string, ...args: unknown[]) => {
      did.push([command, ...args].join(' '));
      return play[command]?.(...args);
    },
  };
  const clip = { text: 'the user copied this' };
  const gone: { why: string | undefined } = { why: undefined };
  const full: Desk = {
    readClipboard: () => Promise.resolve(clip.text),
    writeClipboard: (t) => Promise.resolve(void (clip.text = t)),
    canLeave: () => true,
    watch: () => ({ strayed: () => gone.why, dispose: () => undefined }),
    idle: () => Infinity,
    asked: () => Infinity,
    sleep: () => Promise.resolve(),
    ...desk,
  };
  const delivery = new Delivery(new Cursor(host, ms), full, remembering());
  return { did, clip, gone, delivery, deliver: () => delivery.deliver('chat-1', line) };
}

const good = (): Play => ({
  'composer.openComposer': () => undefined,
  'composer.getOrderedSelectedComposerIds': () => ['chat-1', 'chat-2'],
  'workbench.action.focusStatusBar': () => undefined,
  'composer.focusComposer': () => undefined,
  'editor.action.clipboardPasteAction': () => undefined,
});

test('a delivery shows the chat, leaves the editors, focuses the input and pastes', async () => {
  let pasted = '';
  const s = scene({ ...good(), 'editor.action.clipboardPasteAction': () => (pasted = s.clip.text) });
  assert.deepEqual(await s.deliver(), { ok: true });
  assert.equal(pasted, line);
  assert.equal(s.clip.text, 'the user copied this');
  assert.deepEqual(s.did, ['composer.openComposer chat-1', 'composer.getOrderedSelectedComposerIds', 'workbench.action.focusStatusBar', 'composer.focusComposer', 'editor.action.clipboardPasteAction']);
  const check = async (chat: string): Promise<string | undefined> => reasonFor(await s.delivery.check(chat));
  assert.equal(await check('chat-1'), undefined);
  assert.equal(await check('chat-2'), 'another chat is in front');
  s.gone.why = 'the focus went into a terminal';
  assert.equal(await check('chat-1'), 'the focus went into a terminal');
});

test('the Agents window', async () => {
  const { 'composer.focusComposer': _, ...rest } = good();
  const glass = { 'glass.focusInput': () => undefined, 'glass.osEditPaste': () => undefined };
  for (const [play, last] of [
    [{ ...rest, ...glass }, ['glass.focusInput', 'glass.osEditPaste']],
    [{ ...good(), ...glass }, ['composer.focusComposer', 'glass.focusInput', 'glass.osEditPaste']], // which does nothing there
    [{ ...good(), 'glass.focusInput': () => undefined }, ['glass.focusInput', 'editor.action.clipboardPasteAction']],
    [{ ...good(), ...glass, 'glass.focusInput': throws }, ['glass.focusInput', 'editor.action.clipboardPasteAction']],
  ] as const) {
    const s = scene(play);
    assert.deepEqual(await s.deliver(), { ok: true });
    assert.deepEqual(s.did.slice(-last.length), last);
  }
  const s = scene({ ...good(), ...glass, 'glass.focusInput': never });
  const got = await s.deliver();
  assert.ok(!got.ok && got.code === 'no-focus');
});

test('each command can be missing, throw, hang or lie: nothing is pasted then', async () => {
  const without = (name: string): Play => Object.fromEntries(Object.entries(good()).filter(([k]) => k !== name));
  for (const [name, play, code, reason] of [
    ['no commands', {}, 'not-shown', /openComposer does not exist/],
    ['open throws, the chat is not in front', { ...good(), 'composer.openComposer': throws, 'composer.getOrderedSelectedComposerIds': () => [] }, 'not-shown', /boom/],
    ['open hangs', { ...good(), 'composer.openComposer': never, 'composer.getOrderedSelectedComposerIds': () => ['chat-2'] }, 'not-shown', /no answer/],
    ['open lies', { ...good(), 'composer.getOrderedSelectedComposerIds': () => ['chat-2', 'chat-1'] }, 'not-shown', /did not bring the chat to the front/],
    ['the list is missing', without('composer.getOrderedSelectedComposerIds'), 'not-shown', /does not exist/],
    ['the list is no list', { ...good(), 'composer.getOrderedSelectedComposerIds': () => ({}) }, 'not-shown', /not a list of ids/],
    ['the list hangs', { ...good(), 'composer.getOrderedSelectedComposerIds': never }, 'not-shown', /no answer/],
    ['the editors cannot be left', without('workbench.action.focusStatusBar'), 'no-focus', /focusStatusBar does not exist/],
    ['no focus command', without('composer.focusComposer'), 'no-focus', /focusComposer does not exist/],
    ['focus throws', { ...good(), 'composer.focusComposer': throws }, 'no-focus', /boom/],
    ['focus hangs', { ...good(), 'composer.focusComposer': never }, 'no-focus', /no answer/],
  ] as const) {
    const s = scene(play as Play);
    const got = await s.deliver();
    assert.equal(got.ok, false, name);
    if (got.ok) continue;
    assert.equal(got.code, code, name);
    assert.match(got.reason, reason, name);
    assert.equal(got.touched, false, name);
    assert.equal(s.clip.text, 'the user copied this', name);
    assert.ok(!s.did.includes('editor.action.clipboardPasteAction'), name);
  }
});

test('a hidden status bar: the focus stays where it is', async () => {
  const s = scene(good(), { canLeave: () => false });
  const got = await s.deliver();
  assert.ok(!got.ok && got.code === 'no-focus');
  assert.ok(!s.did.includes('composer.focusComposer'));
});

test('a paste that fails, or that is misplaced, restores the clipboard', async () => {
  const failing = scene({ ...good(), 'editor.action.clipboardPasteAction': throws });
  const got = await failing.deliver();
  assert.ok(!got.ok && got.code === 'no-paste' && got.touched);
  assert.equal(failing.clip.text, 'the user copied this');
  const astray = scene(good(), { watch: () => ({ strayed: () => 'the line went into a document', dispose: () => undefined }) });
  const other = await astray.deliver();
  assert.ok(!other.ok && other.code === 'strayed' && other.touched);
  const { 'editor.action.clipboardPasteAction': _, ...rest } = good();
  const none = await scene(rest).deliver();
  assert.ok(!none.ok && none.code === 'no-paste' && !none.touched);
});

test('what the user copies meanwhile stays', async () => {
  const s = scene({ ...good(), 'editor.action.clipboardPasteAction': () => (s.clip.text = 'copied meanwhile') });
  await s.deliver();
  assert.equal(s.clip.text, 'copied meanwhile');
});

test('a line is put only where the focus was just moved to', async () => {
  const s = scene(good());
  const away = { ok: false, code: 'no-focus', reason: "the focus is not in the chat's input", touched: false };
  assert.deepEqual(await s.delivery.put('chat-1', line), away);
  assert.ok((await s.delivery.focus('chat-2')).ok);
  assert.deepEqual(await s.delivery.put('chat-1', line), away);
  assert.ok((await s.delivery.focus('chat-1')).ok);
  assert.ok((await s.delivery.put('chat-1', line)).ok);
  assert.deepEqual(await s.delivery.put('chat-1', line), away);
});

test('a line that may still be in the input is not put in again, until it was sent', async () => {
  let pasted = 0;
  const s = scene({ ...good(), 'editor.action.clipboardPasteAction': () => pasted++ });
  assert.deepEqual(await s.deliver(), { ok: true });
  const again = await s.deliver();
  assert.ok(!again.ok && again.code === 'left' && again.touched, 'no other way may type it either');
  assert.equal(s.did.at(-1), 'composer.focusComposer', 'Enter is enough');
  s.delivery.sent('chat-2', Infinity);
  s.delivery.sent('chat-1', Date.now() - 60_000); // a message before that
  s.delivery.sent('chat-1', NaN);
  assert.equal((await s.deliver()).ok, false);
  assert.equal(pasted, 1);
  s.delivery.sent('chat-1', Date.now());
  assert.deepEqual(await s.deliver(), { ok: true });
  assert.equal(pasted, 2);
});

test('what puts nothing in leaves nothing', async () => {
  const { 'editor.action.clipboardPasteAction': _, ...rest } = good();
  const play: Play = rest;
  const s = scene(play);
  assert.equal((await s.deliver()).ok, false);
  play['editor.action.clipboardPasteAction'] = () => undefined;
  assert.ok((await s.delivery.focus('chat-1')).ok); // and no more: the line is not wanted any more
  assert.deepEqual(await s.deliver(), { ok: true });
});

test('a delivery waits until the user pauses', async () => {
  let now = 0;
  const slept: number[] = [];
  const busy = (from: number): Partial<Desk> => ({ idle: () => Math.max(0, now - from), sleep: (ms) => (slept.push(ms), Promise.resolve(void (now += ms))) });
  const s = scene({ ...good(), 'composer.createNew': () => undefined }, busy(0));
  assert.deepEqual(await s.deliver(), { ok: true });
  assert.equal(slept[0], 1000);
  slept.length = 0;
  assert.deepEqual(await s.delivery.begin(line), { ok: true });
  assert.deepEqual(slept, []);
});

test('a user who does not pause is left alone after 10 s', async (t) => {
  let now = 0;
  const slept: number[] = [];
  t.mock.method(performance, 'now', () => now);
  const desk: Partial<Desk> = { idle: () => 0, sleep: (ms) => (slept.push(ms), Promise.resolve(void (now += ms))) };
  const s = scene({ ...good(), 'composer.createNew': () => undefined }, desk);
  const tenSeconds = Array(10).fill(1000);
  const isBusy = { ok: false, code: 'user-busy', reason: 'the user is busy', touched: false };
  assert.deepEqual(await s.deliver(), isBusy);
  assert.deepEqual(slept, tenSeconds);
  slept.length = 0;
  assert.deepEqual(await s.delivery.begin(line), isBusy);
  assert.deepEqual([slept, s.did], [tenSeconds, []], 'nothing was touched');
});

test('an open box of the extension is a busy user, at every step', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const isBusy = { ok: false, code: 'user-busy', reason: 'the user is busy', touched: false };
  const waits: Partial<Desk> = { asked: () => 0, sleep: (ms) => Promise.resolve(void (now += ms)) };
  const closed = scene(good(), waits);
  for (const step of [() => closed.delivery.rest(true), () => closed.delivery.focus('chat-1'), () => closed.delivery.create(line)]) assert.deepEqual(await step(), isBusy);
  assert.deepEqual(closed.did, []);
  let opens = false;
  const late = scene({ ...good(), 'composer.focusComposer': () => void (opens = true) }, { ...waits, asked: () => (opens ? 0 : Infinity) });
  assert.deepEqual(await late.deliver(), isBusy, 'the box that was opened meanwhile has the focus');
  assert.ok(!late.did.includes('editor.action.clipboardPasteAction'));
  let open = false;
  const s = scene(good(), { asked: () => (open ? 0 : Infinity) });
  assert.deepEqual(await s.deliver(), { ok: true });
  open = true;
  assert.equal(reasonFor(await s.delivery.check('chat-1')), 'the user is busy', 'Return is not pressed');
});

test('a user who has been waited for is not waited for again', async () => {
  const s = scene({ ...good(), 'composer.createNew': () => undefined }, { idle: () => 0, sleep: (ms) => (assert.notEqual(ms, 1000), Promise.resolve()) });
  assert.deepEqual(await s.delivery.rest(true), { ok: true });
});

test('a line that was not put in is not remembered', async () => {
  let reads = 0;
  const s = scene(good(), { readClipboard: () => (reads++ ? Promise.resolve('') : Promise.reject(new Error('no clipboard'))) });
  await assert.rejects(s.deliver());
  assert.deepEqual(await s.deliver(), { ok: true });
});

test('one at a time has the chats', async () => {
  const s = scene(good());
  const end = await s.delivery.turn(1000);
  assert.ok(end);
  assert.equal(await s.delivery.turn(5), undefined);
  const order: string[] = [];
  const next = s.delivery.alone(async () => order.push('next'));
  order.push('first');
  end();
  await next;
  await assert.rejects(s.delivery.alone(() => Promise.reject(new Error('boom'))) as Promise<unknown>, /boom/);
  await s.delivery.alone(async () => order.push('after a failure'));
  assert.deepEqual(order, ['first', 'next', 'after a failure']);
});

test('the plugin API: missing, failing, hanging', async () => {
  const of = (cursor: unknown) => new Cursor({ cursor, getCommands: async () => [], execute: async () => undefined }, 30).registerPlugin('/p');
  assert.equal((await of(undefined)).kind, 'missing');
  assert.equal((await of({ plugins: { registerPath: 5 } })).kind, 'missing');
  assert.equal((await of({ plugins: { registerPath: throws } })).kind, 'failed');
  assert.equal((await of({ plugins: { registerPath: never } })).kind, 'timeout');
  assert.equal((await of({ plugins: { registerPath: () => undefined } })).kind, 'ok');
  const slow = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal((await of({ plugins: { registerPath: slow } })).kind, 'ok', 'a Cursor that is starting');
});

test('a list of commands that never comes', async () => {
  const c = new Cursor({ cursor: undefined, getCommands: never, execute: async () => 'x' }, 20);
  assert.equal(words(await c.call('composer.focusComposer')), 'composer.focusComposer does not exist in this editor');
});

test('a chat is created once, whatever the command does', async () => {
  for (const [command, want] of [
    [() => undefined, { ok: true }],
    [never, { ok: true }], // it may answer only when the turn ends
    [throws, { ok: false, code: 'not-created', reason: 'composer.createNew: boom', touched: true }],
    [undefined, { ok: false, code: 'not-created', reason: 'composer.createNew does not exist in this editor', touched: false }],
  ] as const) {
    const got: unknown[] = [];
    const play: Play = command ? { 'composer.createNew': (o) => (got.push(o), command()) } : {};
    const s = scene(play);
    assert.equal(await s.delivery.creates(), command !== undefined);
    assert.deepEqual(await s.delivery.create(line), want);
    assert.deepEqual(got, command ? [{ partialState: { text: line }, autoSubmit: true }] : []);
    assert.equal(s.clip.text, 'the user copied this');
  }
});
