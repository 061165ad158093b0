// Where the injector `extension` of cursor-ralph finds this window: a private
// socket or pipe, announced by a file that only the user can read.
//
// Protocol, version 1, one JSON object a line. The client begins with the token of
// the file:
//
//	C {"type":"hello","version":1,"token":"…"}
//	S {"type":"hello","version":1}
//	C {"type":"request","id":1,"method":"find","conversation":"…"}
//	S {"type":"result","id":1,"ok":true,"place":"front","focused":true,"folders":["…"]}
//	C {"type":"request","id":2,"method":"deliver","conversation":"…","line":"…","confirm":true}
//	S {"type":"step","id":2,"step":"show","result":"ok"}, …
//	S {"type":"confirm","id":2}, before the focus moves and before the line is put in
//	C {"type":"confirm","id":2,"ok":true}, if the line is still wanted
//	S {"type":"result","id":2,"ok":true}
//	C {"type":"request","id":3,"method":"check","conversation":"…"}
//	C {"type":"request","id":4,"method":"ask","conversation":"…"}
//	C {"type":"request","id":5,"method":"sent","conversation":"…"}
//	C {"type":"request","id":6,"method":"create","conversation":"…","line":"…"}
//
// From its first deliver, create or check a connection has the window's chats for itself,
// until it ends. The code "left" of a deliver means that an earlier line may still be in
// the input, so that the user has to send it; sent says that a line has arrived.
// find also says whether the window "creates" chats; create begins one with the line,
// in which the loop of the conversation goes on.
//
// A client that does not offer to confirm is not asked. A request that fails has {"ok":false,"code":"…","reason":"…","touched":false}.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { JsonLines } from './jsonlines';
import { validId } from './loops';
import { reasonOf, words } from './result';
import type { Delivery, Step } from './delivery';

export const version = 1;

export interface Window {
  folders(): string[];
  focused(): boolean;
  // ask has the user press the submit key, since no program here can, until the
  // line has arrived or nobody waits for it any more. Unsure is a line that may be in
  // the input no more.
  ask(over: Promise<void>, unsure: string | undefined): void;
  editor: string;
}

export interface Options {
  folder: string;
  delivery: Delivery;
  window: Window;
  log(text: string): void;
  platform?: NodeJS.Platform;
  // How long a connection may take to show the token, and a request to end.
  ms?: { auth: number; request: number };
}

const lineLimit = 64 << 10;
const socketPath = 100; // bytes that every system allows
const most = 8; // connections at once
const askLimit = 2 * 60_000; // for the user; cursor-ralph waits at most one minute

function equal(a: string, b: unknown): boolean {
  const [mine, theirs] = [Buffer.from(a), Buffer.from(typeof b === 'string' ? b : '')];
  return mine.length === theirs.length && timingSafeEqual(mine, theirs);
}

// isLine reports whether a text is a line that this extension puts into a chat:
// the continue line, and nothing else.
export function isLine(v: unknown): v is string {
  return typeof v === 'string' && v.length <= 300 && /^\/ralph-loop --continue [A-Za-z0-9][A-Za-z0-9._-]*( --[a-z-]+( [A-Za-z0-9.]+)?)*$/.test(v);
}

export class Rendezvous {
  private server: Server | undefined;
  private file = '';
  private ownFolder = '';
  private readonly token = randomBytes(32).toString('hex');
  private readonly sockets = new Set<Socket>();
  private closed = false;

  constructor(private readonly o: Options) {}

  // open listens, then announces, unless it was closed meanwhile.
  async open(): Promise<void> {
    const name = `${process.pid}-${randomBytes(8).toString('hex')}`;
    const address = this.address(name);
    const server = createServer((socket) => this.accept(socket));
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address, () => resolve());
    });
    server.on('error', (error) => this.o.log(`rendezvous: ${reasonOf(error)}`));
    if (this.closed) return;
    if (!this.isWindows()) chmodSync(address, 0o600);
    this.announce(name, address);
  }

  close(): void {
    this.closed = true;
    if (this.file !== '') rmSync(this.file, { force: true });
    this.server?.close(); // which removes the socket
    for (const socket of this.sockets) socket.destroy();
    if (this.ownFolder !== '') rmSync(this.ownFolder, { force: true, recursive: true });
  }

  private isWindows(): boolean {
    return (this.o.platform ?? process.platform) === 'win32';
  }

  private address(name: string): string {
    if (this.isWindows()) return `\\\\.\\pipe\\cursor-ralph-${name}`;
    const here = path.join(this.o.folder, `${name}.sock`);
    if (Buffer.byteLength(here) <= socketPath) return here;
    this.ownFolder = mkdtempSync('/tmp/cursor-ralph-editor-'); // 0700
    return path.join(this.ownFolder, 'sock');
  }

  private announce(name: string, address: string): void {
    const file = path.join(this.o.folder, `${name}.json`);
    const content = { version, pid: process.pid, address, token: this.token, editor: this.o.window.editor };
    const fresh = path.join(this.o.folder, `.${name}.new`);
    writeFileSync(fresh, JSON.stringify(content) + '\n', { mode: 0o600, flag: 'wx' });
    renameSync(fresh, file);
    this.file = file;
  }

  private accept(socket: Socket): void {
    if (this.sockets.size >= most) {
      socket.destroy();
      return;
    }
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    new Connection(socket, this.token, this.o).begin();
  }
}

class Connection {
  private known = false;
  private working = false;
  private confirmed: ((ok: boolean) => void) | undefined; // gets the answer to a confirm
  private endTurn: (() => void) | undefined;
  private unsure: string | undefined; // the line that may be in the input no more
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly token: string,
    private readonly o: Options,
  ) {}

  begin(): void {
    const lines = new JsonLines(
      (value) => this.message(value),
      () => this.refuse('not-understood', 'a line is not JSON, or too long'),
      lineLimit,
    );
    this.socket.on('data', (data: Buffer) => lines.push(data));
    this.socket.on('close', () => {
      clearTimeout(this.timer);
      this.confirmed?.(false);
      if (!this.working) this.leave();
    });
    this.limit(this.o.ms?.auth ?? 2000);
  }

  private requestMs(): number {
    return this.o.ms?.request ?? 30_000;
  }

  private limit(ms: number): void {
    clearTimeout(this.timer);
    if (this.socket.destroyed) return;
    this.timer = setTimeout(() => this.refuse('too-slow', 'nothing came in time'), ms);
  }

  private send(message: object): void {
    if (!this.socket.destroyed) this.socket.write(JSON.stringify(message) + '\n');
  }

  private refuse(code: string, reason: string): void {
    this.send({ type: 'error', code, reason });
    this.socket.destroySoon();
  }

  private message(value: unknown): void {
    const m = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
    if (this.socket.destroyed || this.socket.writableEnded) return;
    if (!this.known) this.authenticate(m);
    else if (m['type'] === 'confirm') this.confirmed?.(m['ok'] === true);
    else if (m['type'] === 'request' && Number.isSafeInteger(m['id'])) void this.request(m['id'] as number, m);
    else this.refuse('not-understood', 'this is no request');
  }

  private authenticate(m: Record<string, unknown>): void {
    if (m['type'] !== 'hello') return this.refuse('denied', 'show the token first');
    if (m['version'] !== version) return this.refuse('version', `this extension speaks version ${version}`);
    if (!equal(this.token, m['token'])) return this.refuse('denied', 'wrong token');
    this.known = true;
    this.limit(this.requestMs());
    this.send({ type: 'hello', version });
  }

  private async request(id: number, m: Record<string, unknown>): Promise<void> {
    const fail = (code: string, reason: string): void => this.send({ type: 'result', id, ok: false, code, reason, touched: false });
    const chat = m['conversation'];
    if (this.working) return fail('busy', 'one request at a time');
    if (!validId(chat)) return fail('bad-request', 'the conversation id is not valid');
    this.working = true;
    this.limit(this.requestMs());
    try {
      this.send({ type: 'result', id, ...(await this.answer(id, chat, m)) });
    } catch (error) {
      this.send({ type: 'result', id, ok: false, code: 'failed', reason: reasonOf(error), touched: true });
    } finally {
      this.working = false;
      if (this.socket.destroyed) this.leave();
    }
  }

  // inTurn has the chats of the window for this connection until it ends.
  private async inTurn<T>(work: () => Promise<T>): Promise<T | object> {
    this.endTurn ??= await this.o.delivery.turn(this.requestMs());
    return this.endTurn ? work() : { ok: false, code: 'busy', reason: 'another delivery is under way', touched: false };
  }

  private leave(): void {
    this.endTurn?.();
    this.endTurn = undefined;
  }

  // isWanted asks the client, or sees that it has gone.
  private isWanted(id: number, asks: boolean): Promise<boolean> {
    if (!asks || this.socket.destroyed) return Promise.resolve(!this.socket.destroyed);
    return new Promise((resolve) => {
      this.confirmed = resolve;
      this.send({ type: 'confirm', id });
    });
  }

  private async answer(id: number, chat: string, m: Record<string, unknown>): Promise<object> {
    switch (m['method']) {
      case 'find':
        return this.find(chat);
      case 'deliver':
        return this.inTurn(() => this.deliver(id, chat, m));
      case 'create':
        return this.inTurn(() => this.create(id, m));
      case 'check':
        return this.inTurn(() => this.check(chat)).finally(() => this.limit(askLimit));
      case 'sent':
        this.o.delivery.sent(chat, Date.now());
        return { ok: true };
      case 'ask':
        this.o.window.ask(new Promise((resolve) => this.socket.once('close', () => resolve())), this.unsure);
        this.limit(askLimit);
        return { ok: true };
    }
    return { ok: false, code: 'bad-request', reason: 'there is no such method', touched: false };
  }

  private async find(chat: string): Promise<object> {
    const place = await this.o.delivery.place(chat);
    const window = { focused: this.o.window.focused(), folders: this.o.window.folders(), creates: await this.o.delivery.creates() };
    if (place.kind !== 'ok') return { ok: false, code: 'not-here', reason: words(place), touched: false, ...window };
    return { ok: true, place: place.value, ...window };
  }

  // lineOf returns the line of a request, or why it cannot: the request may have waited
  // for its turn until nobody wants it.
  private lineOf(m: Record<string, unknown>): string | object {
    const not = (code: string, reason: string): object => ({ ok: false, code, reason, touched: false });
    if (this.socket.destroyed) return not('cancelled', 'the request was withdrawn');
    return isLine(m['line']) ? m['line'] : not('bad-request', 'this is not a continue line');
  }

  private async create(id: number, m: Record<string, unknown>): Promise<object> {
    const line = this.lineOf(m);
    if (typeof line !== 'string') return line;
    return this.o.delivery.create(line, this.step(id), () => this.isWanted(id, m['confirm'] === true), m['rested'] === true);
  }

  private async check(chat: string): Promise<object> {
    const why = await this.o.delivery.check(chat);
    return why === undefined ? { ok: true } : { ok: false, code: 'moved', reason: why, touched: true };
  }

  private step(id: number): Step {
    return (name, result) => this.send({ type: 'step', id, step: name, result });
  }

  private async deliver(id: number, chat: string, m: Record<string, unknown>): Promise<object> {
    const line = this.lineOf(m);
    if (typeof line !== 'string') return line;
    const done = await this.o.delivery.deliver(chat, line, this.step(id), () => this.isWanted(id, m['confirm'] === true), m['rested'] === true);
    this.unsure = !done.ok && done.code === 'left' ? line : undefined;
    this.limit(askLimit); // the client presses the key, and waits until the line arrives
    return done;
  }
}
