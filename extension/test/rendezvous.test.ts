import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type TestContext } from 'node:test';
import { JsonLines } from '../src/jsonlines';
import { deferred, remembering } from './loop';
import { isLine, Rendezvous } from '../src/rendezvous';
import { Delivery, type Delivered, type Desk, type Step } from '../src/delivery';
import type { Cursor } from '../src/cursor';

type Message = Record<string, unknown>;
const line = '/ralph-loop --continue chat-1';

async function scene(t: TestContext, play: { deliver?: (step: Step, wanted: () => Promise<boolean>) => Promise<Delivered>; create?: Delivered } = {}, ms = { auth: 2000, request: 2000 }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ext-'));
  const asked: string[] = [];
  const turns = new Delivery({} as Cursor, {} as Desk, remembering());
  const delivery = {
    turn: (ms: number) => turns.turn(ms),
    sent: (chat: string) => asked.push(`sent in ${chat}`),
    place: async (chat: string) => ({ kind: 'ok', value: chat === 'chat-1' ? 'front' : 'unknown' }),
    deliver: async (chat: string, text: string, step: Step, wanted: () => Promise<boolean>) => {
      asked.push(`${chat} ${text}`);
      step('show', 'ok');
      return play.deliver ? play.deliver(step, wanted) : { ok: true };
    },
    check: async () => 'another chat is in front',
    creates: async () => true,
    create: async (text: string, _: Step, wanted: () => Promise<boolean>) => {
      if (!(await wanted())) return { ok: false, code: 'cancelled', reason: '', touched: false };
      asked.push(`new ${text}`);
      return play.create ?? { ok: true };
    },
  } as unknown as Delivery;
  const r = new Rendezvous({ folder, delivery, ms, log: () => undefined, window: { editor: 'Cursor', focused: () => true, folders: () => ['/code/repo'], ask: (_, unsure) => asked.push(`the user${unsure === undefined ? '' : ` about ${unsure}`}`) } });
  await r.open();
  t.after(() => {
    r.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = path.join(folder, readdirSync(folder).find((n) => n.endsWith('.json')) ?? '');
  const said = JSON.parse(readFileSync(file, 'utf8')) as { address: string; token: string; version: number; pid: number };
  return { folder, file, said, asked, r };
}

class Peer {
  private readonly got: Message[] = [];
  private waiting: (() => void) | undefined;
  closed = false;
  constructor(readonly socket: Socket) {
    const lines = new JsonLines((m) => {
      this.got.push(m as Message);
      this.waiting?.();
    });
    socket.on('data', (d: Buffer) => lines.push(d));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.waiting?.();
    });
  }
  send(m: object): void {
    this.socket.write(JSON.stringify(m) + '\n');
  }
  // next is the next message, or undefined after the end.
  async next(): Promise<Message | undefined> {
    while (this.got.length === 0 && !this.closed) await new Promise<void>((resolve) => (this.waiting = resolve));
    return this.got.shift();
  }
}

async function dial(t: TestContext, said: { address: string; token: string }, token = said.token): Promise<Peer> {
  const peer = new Peer(connect(said.address));
  t.after(() => peer.socket.destroy());
  peer.send({ type: 'hello', version: 1, token });
  const hello = await peer.next();
  if (hello?.['type'] === 'hello') assert.equal(hello['version'], 1);
  else peer.send(hello ?? {});
  return peer;
}

test('the file and the socket are private, and gone at the end', async (t) => {
  const s = await scene(t);
  assert.equal(statSync(s.file).mode & 0o777, 0o600);
  assert.equal(statSync(s.said.address).mode & 0o777, 0o600);
  assert.equal(s.said.pid, process.pid);
  assert.match(s.said.token, /^[0-9a-f]{64}$/);
  s.r.close();
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(!existsSync(s.file));
  assert.deepEqual(readdirSync(s.folder), []);
});

test('find, deliver and check', async (t) => {
  const s = await scene(t);
  const peer = await dial(t, s.said);
  peer.send({ type: 'request', id: 1, method: 'find', conversation: 'chat-1' });
  assert.deepEqual(await peer.next(), { type: 'result', id: 1, ok: true, place: 'front', focused: true, folders: ['/code/repo'], creates: true });
  peer.send({ type: 'request', id: 2, method: 'deliver', conversation: 'chat-1', line });
  assert.deepEqual(await peer.next(), { type: 'step', id: 2, step: 'show', result: 'ok' });
  assert.deepEqual(await peer.next(), { type: 'result', id: 2, ok: true });
  peer.send({ type: 'request', id: 3, method: 'check', conversation: 'chat-1' });
  assert.equal((await peer.next())?.['reason'], 'another chat is in front');
  peer.send({ type: 'request', id: 4, method: 'ask', conversation: 'chat-1' });
  assert.deepEqual(await peer.next(), { type: 'result', id: 4, ok: true });
  peer.send({ type: 'request', id: 5, method: 'sent', conversation: 'chat-1' });
  assert.deepEqual(await peer.next(), { type: 'result', id: 5, ok: true });
  assert.deepEqual(s.asked, [`chat-1 ${line}`, 'the user', 'sent in chat-1']);
});

test('a line that may be in the input already is for the user', async (t) => {
  const s = await scene(t, { deliver: async () => ({ ok: false, code: 'left', reason: 'x', touched: true }) });
  const peer = await dial(t, s.said);
  peer.send({ type: 'request', id: 1, method: 'deliver', conversation: 'chat-1', line });
  await peer.next();
  assert.equal((await peer.next())?.['code'], 'left');
  peer.send({ type: 'request', id: 2, method: 'ask', conversation: 'chat-1' });
  assert.equal((await peer.next())?.['ok'], true);
  assert.equal(s.asked.at(-1), `the user about ${line}`);
});

test('create, if it is still wanted', async (t) => {
  const failed: Delivered = { ok: false, code: 'not-created', reason: 'boom', touched: true };
  for (const create of [undefined, failed]) {
    const s = await scene(t, create ? { create } : {});
    const peer = await dial(t, s.said);
    const request = { type: 'request', method: 'create', conversation: 'chat-1', line, confirm: true };
    for (const [id, wanted] of [[1, false], [2, true]] as const) {
      peer.send({ ...request, id });
      assert.deepEqual(await peer.next(), { type: 'confirm', id });
      peer.send({ type: 'confirm', id, ok: wanted });
      const answer = await peer.next();
      if (wanted) assert.deepEqual(answer, { type: 'result', id, ...(create ?? { ok: true }) });
      else assert.equal(answer?.['code'], 'cancelled');
    }
    assert.deepEqual(s.asked, [`new ${line}`]);
  }
});

test('without the token there is nothing', async (t) => {
  const s = await scene(t);
  for (const first of [
    { type: 'request', id: 1, method: 'deliver', conversation: 'chat-1', line },
    { type: 'hello', version: 1, token: '0'.repeat(64) },
    { type: 'hello', version: 1, token: 'é'.repeat(64) },
    { type: 'hello', version: 1, token: '' },
    { type: 'hello', version: 1 },
    { type: 'hello', version: 2, token: s.said.token },
    'GET / HTTP/1.1',
    null,
  ]) {
    const peer = new Peer(connect(s.said.address));
    peer.socket.write(typeof first === 'string' ? `${first}\r\n\r\n` : JSON.stringify(first) + '\n');
    assert.equal((await peer.next())?.['type'], 'error', JSON.stringify(first));
    peer.send({ type: 'request', id: 1, method: 'deliver', conversation: 'chat-1', line });
    assert.equal(await peer.next(), undefined);
  }
  const wrong = await dial(t, s.said, 'f'.repeat(64));
  assert.equal(await wrong.next(), undefined);
  assert.deepEqual(s.asked, []);
});

test('invalid requests, ids and lines', async (t) => {
  const s = await scene(t);
  const peer = await dial(t, s.said);
  for (const bad of [
    { method: 'deliver', conversation: '--help', line },
    { method: 'deliver', conversation: 'chat-1', line: 'rm -rf /' },
    { method: 'deliver', conversation: 'chat-1', line: `${line}\n/other` },
    { method: 'create', conversation: 'chat-1', line: '/ralph-loop "rm -rf /"' },
    { method: 'create', conversation: '../x', line },
    { method: 'evaluate', conversation: 'chat-1' },
    { method: 'find' },
  ]) {
    peer.send({ type: 'request', id: 9, ...bad });
    assert.equal((await peer.next())?.['code'], 'bad-request', JSON.stringify(bad));
  }
  peer.send({ type: 'gossip' });
  assert.equal((await peer.next())?.['type'], 'error');
  assert.deepEqual(s.asked, []);
});

test('only the continue line', () => {
  for (const l of [line, `${line} --max-iterations 40`, `${line} --max-duration 2h`]) assert.ok(isLine(l), l);
  for (const l of ['', line + ' ', '/ralph-loop "task"', line + '; ls', line + '\u202e', 'x'.repeat(400)]) assert.ok(!isLine(l), l);
});

test('one delivery at a time, over all connections', async (t) => {
  const gate = deferred<Delivered>();
  const s = await scene(t, { deliver: () => gate.promise });
  const [a, b] = [await dial(t, s.said), await dial(t, s.said)];
  a.send({ type: 'request', id: 1, method: 'deliver', conversation: 'chat-1', line });
  assert.equal((await a.next())?.['type'], 'step');
  a.send({ type: 'request', id: 2, method: 'find', conversation: 'chat-1' });
  assert.equal((await a.next())?.['code'], 'busy');
  // Another client may look meanwhile: it must not take a delivery for a window that cannot do it.
  b.send({ type: 'request', id: 1, method: 'find', conversation: 'chat-1' });
  assert.equal((await b.next())?.['ok'], true);
  b.send({ type: 'request', id: 2, method: 'deliver', conversation: 'chat-1', line });
  b.send({ type: 'request', id: 3, method: 'find', conversation: 'chat-1' });
  assert.equal((await b.next())?.['code'], 'busy'); // so the delivery before it has come, and waits
  assert.equal(s.asked.length, 1);
  gate.resolve({ ok: true });
  assert.deepEqual(await a.next(), { type: 'result', id: 1, ok: true });
  a.send({ type: 'request', id: 3, method: 'check', conversation: 'chat-1' });
  assert.equal((await a.next())?.['code'], 'moved');
  assert.equal(s.asked.length, 1, 'its key is not pressed yet');
  a.socket.destroy();
  assert.equal((await b.next())?.['type'], 'step');
  assert.deepEqual(await b.next(), { type: 'result', id: 2, ok: true });
});

test('a client that goes away withdraws its request', async (t) => {
  const seen = deferred<boolean>();
  const s = await scene(t, {
    deliver: async (_, wanted) => {
      while (await wanted()) await new Promise((resolve) => setImmediate(resolve));
      seen.resolve(true);
      return { ok: false, code: 'cancelled', reason: '', touched: false };
    },
  });
  for (const confirm of [false, true]) {
    const peer = await dial(t, s.said);
    peer.send({ type: 'request', id: 1, method: 'deliver', conversation: 'chat-1', line, confirm });
    await peer.next();
    if (confirm) assert.equal((await peer.next())?.['type'], 'confirm');
    peer.socket.destroy();
    assert.ok(await seen.promise);
  }
});

test('a client that offers it is asked whether the line is still wanted', async (t) => {
  const s = await scene(t, { deliver: async (_, wanted) => ((await wanted()) && (await wanted()) ? { ok: true } : { ok: false, code: 'cancelled', reason: 'no', touched: false }) });
  const peer = await dial(t, s.said);
  for (const answers of [[true, true], [true, false], [false]]) {
    peer.send({ type: 'request', id: 1, method: 'deliver', conversation: 'chat-1', line, confirm: true });
    assert.equal((await peer.next())?.['type'], 'step');
    for (const ok of answers) {
      assert.deepEqual(await peer.next(), { type: 'confirm', id: 1 });
      peer.send({ type: 'confirm', id: 1, ok });
    }
    assert.equal((await peer.next())?.['ok'], !answers.includes(false));
  }
});

test('who connects and is silent is sent away', async (t) => {
  const s = await scene(t, {}, { auth: 20, request: 20 });
  const peer = new Peer(connect(s.said.address));
  assert.equal((await peer.next())?.['code'], 'too-slow');
  const known = await dial(t, s.said);
  assert.equal((await known.next())?.['code'], 'too-slow');
});

test('a folder whose path is too long for a socket', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'x'.repeat(90)));
  const r = new Rendezvous({ folder, delivery: {} as Delivery, log: () => undefined, window: { editor: '', focused: () => true, folders: () => [], ask: () => undefined } });
  t.after(() => rmSync(folder, { recursive: true }));
  await r.open();
  const said = JSON.parse(readFileSync(path.join(folder, readdirSync(folder)[0] ?? ''), 'utf8')) as { address: string };
  assert.equal(statSync(path.dirname(said.address)).mode & 0o777, 0o700);
  r.close();
  assert.ok(!existsSync(path.dirname(said.address)));
});
