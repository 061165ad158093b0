import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import test, { type TestContext } from 'node:test';
import { deferred, remembering } from './loop';
import { isLine, Rendezvous } from '../src/rendezvous';
import { Delivery, type Desk, type Done } from '../src/delivery';
import type { Cursor } from '../src/cursor';

type Message = Record<string, unknown>;
const line = '/ralph-loop --continue chat-1';
const conversation = 'chat-1';

async function scene(t: TestContext, play: { put?: () => Promise<Done>; create?: Done } = {}, ms?: { request: number; idle: number }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ext-'));
  const did: string[] = [];
  const turns = new Delivery({} as Cursor, {} as Desk, remembering());
  const does = (name: string, done: Done = { ok: true }) => async (...args: unknown[]): Promise<Done> => (did.push([name, ...args].join(' ')), done);
  const delivery = {
    turn: (ms: number) => turns.turn(ms),
    sent: (chat: string) => did.push(`sent ${chat}`),
    place: async (chat: string) => (chat === conversation ? { kind: 'ok', value: 'front' } : { kind: 'missing', what: 'x' }),
    creates: async () => true,
    isActive: () => false,
    rest: does('rest'),
    show: does('show'),
    focus: does('focus'),
    put: (chat: string, text: string) => (did.push(`put ${chat} ${text}`), play.put ? play.put() : Promise.resolve({ ok: true })),
    check: does('check', { ok: false, code: 'moved', reason: 'another chat is in front', touched: true }),
    create: does('create', play.create),
  } as unknown as Delivery;
  const ask = (over: Promise<void>, unsure: string | undefined): void => {
    did.push(`ask${unsure === undefined ? '' : ` about ${unsure}`}`);
    void over.then(() => did.push('over'));
  };
  const r = new Rendezvous({ folder, delivery, ...(ms ? { ms } : {}), log: () => undefined, window: { editor: 'Cursor', focused: () => true, folders: () => ['/code/repo'], ask } });
  await r.open();
  t.after(() => {
    r.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = path.join(folder, readdirSync(folder).find((n) => n.endsWith('.json')) ?? '');
  const said = JSON.parse(readFileSync(file, 'utf8')) as { address: string; token: string; version: number; pid: number };
  return { folder, file, said, did, r };
}

// peer is a client: one connection.
function peer(t: TestContext, said: { address: string; token: string }, token = said.token) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const post = (method: string, body: unknown = { conversation }, headers = {}): Promise<[number, Message]> =>
    new Promise((resolve, reject) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const req = request({ socketPath: said.address, agent, method: 'POST', path: `/${method}`, headers: { authorization: `Bearer ${token}`, ...('transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(text) }), ...headers } }, (res) =>
        json(res).then((got) => resolve([res.statusCode ?? 0, got as Message]), reject));
      req.on('error', reject);
      req.end(text);
    });
  return { post, leave: () => agent.destroy() };
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !condition(); await new Promise((resolve) => setTimeout(resolve, 5))) assert.ok(Date.now() < end);
}

test('the file and the socket are private, and gone at the end', async (t) => {
  const s = await scene(t);
  assert.equal(statSync(s.file).mode & 0o777, 0o600);
  assert.equal(statSync(s.said.address).mode & 0o777, 0o600);
  assert.equal(s.said.pid, process.pid);
  assert.match(s.said.token, /^[0-9a-f]{64}$/);
  const client = peer(t, s.said);
  await client.post('find'); // a connection that stays
  s.r.close();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(readdirSync(s.folder), []);
  await assert.rejects(client.post('find'));
});

test('a delivery, step by step', async (t) => {
  const s = await scene(t);
  const { post } = peer(t, s.said);
  assert.deepEqual(await post('find'), [200, { place: 'front', focused: true, folders: ['/code/repo'], creates: true, active: false }]);
  assert.deepEqual(await post('rest', { conversation, rested: true }), [200, { ok: true }]);
  for (const method of ['show', 'focus']) assert.equal((await post(method))[0], 200);
  assert.deepEqual(await post('put', { conversation, line }), [200, { ok: true }]);
  assert.deepEqual(await post('check'), [409, { ok: false, code: 'moved', reason: 'another chat is in front', touched: true }]);
  for (const method of ['ask', 'sent']) assert.deepEqual(await post(method), [200, {}]);
  assert.deepEqual(s.did, ['rest true', 'show chat-1', 'focus chat-1', `put chat-1 ${line}`, 'check chat-1', 'ask', 'sent chat-1']);
});

test('a window that does not know where a chat is may create one', async (t) => {
  const s = await scene(t, { create: { ok: false, code: 'not-created', reason: 'boom', touched: true } });
  const { post } = peer(t, s.said);
  const [status, found] = await post('find', { conversation: 'chat-2' });
  assert.deepEqual([status, found['code'], found['creates'], found['folders']], [409, 'not-here', true, ['/code/repo']]);
  assert.deepEqual(await post('create', { conversation, line }), [409, { ok: false, code: 'not-created', reason: 'boom', touched: true }]);
  assert.deepEqual(s.did, [`create ${line}`]);
});

test('a line that may be in the input already is for the user, until nobody waits', async (t) => {
  const s = await scene(t, { put: async () => ({ ok: false, code: 'left', reason: 'x', touched: true }) });
  const client = peer(t, s.said);
  assert.equal((await client.post('put', { conversation, line }))[1]['code'], 'left');
  assert.equal((await client.post('ask'))[0], 200);
  assert.equal(s.did.at(-1), `ask about ${line}`);
  client.leave();
  await until(() => s.did.at(-1) === 'over');
});

test('without the token there is nothing', async (t) => {
  const s = await scene(t);
  for (const token of ['', '0'.repeat(64), 'é'.repeat(32), `${s.said.token}0`]) {
    for (const method of ['find', 'put', 'nothing']) {
      const client = peer(t, s.said, encodeURI(token));
      const [status, answer] = await client.post(method, { conversation, line });
      client.leave();
      assert.deepEqual([status, answer['code']], [401, 'denied']);
    }
  }
  assert.equal((await peer(t, s.said).post('put', { conversation, line }, { authorization: s.said.token }))[0], 401);
  assert.deepEqual(s.did, []);
});

test('invalid requests, ids and lines', async (t) => {
  const s = await scene(t);
  for (const [method, body] of [
    ['put', { conversation: '--help', line }],
    ['put', { conversation, line: 'rm -rf /' }],
    ['put', { conversation, line: `${line}\n/other` }],
    ['put', { conversation }],
    ['create', { conversation, line: '/ralph-loop "rm -rf /"' }],
    ['create', { conversation: '../x', line }],
    ['evaluate', { conversation }],
    ['find', {}],
    ['find', null],
    ['find', 'no JSON'],
  ] as const) {
    const client = peer(t, s.said);
    const [status, answer] = await client.post(method, body);
    client.leave(); // eight at once are the most
    assert.ok(status === 400 || status === 409, method);
    assert.equal(answer['code'], 'bad-request', JSON.stringify(body).slice(0, 100));
  }
  // A body without a length, or a long one, is not read: the connection may end before all is written.
  for (const length of [{ 'transfer-encoding': 'chunked' }, { 'content-length': 70_000 }]) {
    const text = JSON.stringify({ conversation, more: 'x'.repeat(70_000 - 36) });
    const [status] = await peer(t, s.said).post('sent', text, length).catch(() => [400]);
    assert.equal(status, 400);
  }
  assert.deepEqual(s.did, []);
});

test('only the continue line', () => {
  for (const l of [line, `${line} --max-iterations 40`, `${line} --max-duration 2h`]) assert.ok(isLine(l), l);
  for (const l of ['', line + ' ', '/ralph-loop "task"', line + '; ls', line + '\u202e', 'x'.repeat(400)]) assert.ok(!isLine(l), l);
});

test('one connection at a time has the chats, until it ends', async (t) => {
  const gate = deferred<Done>();
  const s = await scene(t, { put: () => gate.promise });
  const [a, b, c] = [peer(t, s.said), peer(t, s.said), peer(t, s.said)];
  const putting = a.post('put', { conversation, line });
  await until(() => s.did.length === 1);
  // Another client may look meanwhile: it must not take a delivery for a window that cannot do it.
  assert.equal((await b.post('find'))[0], 200);
  const next = b.post('show');
  const gone = c.post('show', { conversation: 'chat-3' });
  gate.resolve({ ok: true });
  assert.equal((await putting)[0], 200);
  assert.equal((await a.post('check'))[1]['code'], 'moved');
  assert.deepEqual(s.did, [`put chat-1 ${line}`, 'check chat-1'], 'its key is not pressed yet');
  c.leave(); // and withdraws its request
  await assert.rejects(gone);
  a.leave();
  assert.equal((await next)[0], 200);
  b.leave();
  assert.equal((await peer(t, s.said).post('focus'))[0], 200);
  assert.deepEqual(s.did.slice(2), ['show chat-1', 'focus chat-1']);
});

test('a client that leaves has the chats until what it asked for is done', async (t) => {
  const gate = deferred<Done>();
  const s = await scene(t, { put: () => gate.promise });
  const [a, b] = [peer(t, s.said), peer(t, s.said)];
  const putting = a.post('put', { conversation, line });
  await until(() => s.did.length === 1);
  a.leave();
  await assert.rejects(putting);
  const next = b.post('show');
  const connections = (): Promise<number> => new Promise((resolve) => (s.r as unknown as { server: Server }).server.getConnections((_, n) => resolve(n)));
  while ((await connections()) !== 1) await new Promise((resolve) => setTimeout(resolve, 5)); // that of b alone
  assert.equal((await peer(t, s.said).post('find'))[0], 200);
  assert.equal(s.did.length, 1, 'its paste may come yet');
  gate.resolve({ ok: true });
  assert.equal((await next)[0], 200);
});

test('a client that is silent is sent away', async (t) => {
  const s = await scene(t, {}, { request: 20, idle: 20 });
  for (const first of ['', 'POST /find HTTP/1.1\r\n', `POST /find HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${s.said.token}\r\nContent-Length: 9\r\n\r\n`]) {
    const socket = connect(s.said.address);
    t.after(() => socket.destroy());
    socket.on('error', () => undefined).resume().write(first);
    await new Promise((resolve) => socket.once('close', resolve));
  }
  const known = peer(t, s.said);
  await known.post('show');
  await peer(t, s.said).post('focus'); // the turn of the first has ended
  assert.deepEqual(s.did, ['show chat-1', 'focus chat-1']);
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
