// Where the injector `extension` of cursor-ralph finds this window: HTTP on a private socket or pipe,
// announced by a file that only the user can read. A client shows the token of that file and asks for
// one thing after the other:
//
//	POST /find {"conversation":"…"}              200 {"place":"front","focused":true,"folders":["…"],"creates":true,"active":false}
//	POST /rest {"conversation":"…","rested":false}   when the user pauses; at once, if somebody has waited for that
//	POST /show, then /focus {"conversation":"…"}
//	POST /put {"conversation":"…","line":"…"}    into the input that has the focus
//	POST /create {"conversation":"…","line":"…"} begins a chat with the line, in which the loop of the conversation goes on
//	POST /check, /ask, /sent {"conversation":"…"}    is the focus still there; ask the user to send the line; it was sent
//
// What fails answers 409 {"code":"…","reason":"…","touched":false}: touched if the line may be in some input. The code
// "left" means that an earlier line may still be in the input, so that the user has to send it.
// But for find and sent, a connection has the window's chats for itself from its first request until it ends.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { validId } from './loops';
import { reasonOf, words } from './result';
import type { Delivery } from './delivery';

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
  // How long a client may take for a request, and between two.
  ms?: { request: number; idle: number };
}

type Answer = { code?: string } & Record<string, unknown>;

const refusal = (code: string, reason: string, touched = false): Answer => ({ code, reason, touched });
const windows = process.platform === 'win32';
const socketPath = 100; // bytes that every system allows
const bodyLimit = 64 << 10;
const turnWait = 10_000;
const most = 8; // connections at once

// isLine reports whether a text is a line that this extension puts into a chat:
// the continue line, and nothing else.
export function isLine(v: unknown): v is string {
  return typeof v === 'string' && v.length <= 300 && /^\/ralph-loop --continue [A-Za-z0-9][A-Za-z0-9._-]*( --[a-z-]+( [A-Za-z0-9.]+)?)*$/.test(v);
}

export class Rendezvous {
  private readonly server: Server;
  private file = '';
  private ownFolder = '';
  private readonly token = randomBytes(32).toString('hex');
  private readonly visits = new WeakMap<Socket, Visit>();
  private closed = false;

  constructor(private readonly o: Options) {
    const { request, idle } = o.ms ?? { request: 2000, idle: 2 * 60_000 }; // cursor-ralph waits one minute for the user, at most
    const times = { headersTimeout: request, requestTimeout: request, keepAliveTimeout: idle, connectionsCheckingInterval: request };
    this.server = createServer(times, (req, res) => void this.serve(req, res));
    this.server.maxConnections = most;
    this.server.on('connection', (socket: Socket) => this.visits.set(socket, new Visit(socket, o)));
  }

  // open listens, then announces, unless it was closed meanwhile.
  async open(): Promise<void> {
    const name = `${process.pid}-${randomBytes(8).toString('hex')}`;
    const address = this.address(name);
    await new Promise<void>((resolve, reject) => this.server.once('error', reject).listen(address, resolve));
    this.server.on('error', (error) => this.o.log(`rendezvous: ${reasonOf(error)}`));
    if (this.closed) return;
    if (!windows) chmodSync(address, 0o600);
    this.announce(name, address);
  }

  close(): void {
    this.closed = true;
    if (this.file !== '') rmSync(this.file, { force: true });
    this.server.close(); // which removes the socket
    this.server.closeAllConnections();
    if (this.ownFolder !== '') rmSync(this.ownFolder, { force: true, recursive: true });
  }

  private address(name: string): string {
    if (windows) return `\\\\.\\pipe\\cursor-ralph-${name}`;
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

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const reply = (status: number, answer: Answer, headers = {}): unknown => res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(answer));
    const visit = this.visits.get(req.socket);
    if (!visit || !this.knows(req.headers.authorization)) return void reply(401, refusal('denied', 'wrong token'), { connection: 'close' });
    const long = !(Number(req.headers['content-length']) <= bodyLimit);
    const asked: unknown = long ? undefined : await json(req).catch(() => undefined);
    if (typeof asked !== 'object' || asked === null) return void reply(400, refusal('bad-request', 'this is no request, or too long'), { connection: 'close' });
    const answer = await visit.answer(req.url ?? '', asked).catch((error: unknown) => refusal('failed', reasonOf(error), true));
    reply(answer.code === undefined ? 200 : 409, answer);
  }

  private knows(shown = ''): boolean {
    const [mine, theirs] = [Buffer.from(`Bearer ${this.token}`), Buffer.from(shown)];
    return mine.length === theirs.length && timingSafeEqual(mine, theirs);
  }
}

// Visit is the connection of a client.
class Visit {
  private endTurn: (() => void) | undefined;
  private unsure: string | undefined; // the line that may be in the input no more
  private working: Promise<unknown> = Promise.resolve();
  private readonly over: Promise<void>;

  constructor(
    private readonly socket: Socket,
    private readonly o: Options,
  ) {
    this.over = new Promise((resolve) => socket.once('close', resolve));
    void this.over.then(() => this.working).then(() => this.endTurn?.()); // what runs cannot be stopped
  }

  answer(method: string, m: object): Promise<Answer> {
    const work = this.work(method, m);
    this.working = work.catch(() => undefined);
    return work;
  }

  private async work(method: string, m: { conversation?: unknown; line?: unknown; rested?: unknown }): Promise<Answer> {
    const { delivery, window } = this.o;
    const { conversation: chat, line } = m;
    if (!validId(chat)) return refusal('bad-request', 'the conversation id is not valid');
    if ((method === '/put' || method === '/create') && !isLine(line)) return refusal('bad-request', 'this is not a continue line');
    if (method === '/find') return this.find(chat);
    if (method === '/sent') return delivery.sent(chat, Date.now()), {};
    this.endTurn ??= await delivery.turn(turnWait);
    if (this.socket.destroyed || !this.endTurn) return refusal('busy', 'another delivery is under way');
    switch (method) {
      case '/rest':
        return delivery.rest(m.rested === true);
      case '/show':
        return delivery.show(chat);
      case '/focus':
        return delivery.focus(chat);
      case '/put': {
        const done = await delivery.put(chat, line as string);
        this.unsure = !done.ok && done.code === 'left' ? (line as string) : undefined;
        return done;
      }
      case '/create':
        return delivery.create(line as string);
      case '/check':
        return delivery.check(chat);
      case '/ask':
        return window.ask(this.over, this.unsure), {};
    }
    return refusal('bad-request', 'there is no such method');
  }

  private async find(chat: string): Promise<Answer> {
    const { delivery, window } = this.o;
    const place = await delivery.place(chat);
    const about = { focused: window.focused(), folders: window.folders(), creates: await delivery.creates(), active: delivery.isActive() };
    return place.kind === 'ok' ? { place: place.value, ...about } : { ...refusal('not-here', words(place)), ...about };
  }
}
