// Follows `cursor-ralph events --json`: the one source of what this extension
// knows about loops. The process is started again when it ends, each time a
// little later, and continues after the last line that was read.
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Event } from '../generated/schema';
import { validId, type Loop } from './loops';
import { plain } from './text';

export interface Change {
  before: Loop | undefined;
  after: Loop | undefined;
}

export interface Events {
  // changed gets all changes since the last call, and whether they are news: what
  // the first snapshot holds is not.
  changed(changes: readonly Change[], news: boolean): void;
  // trouble gets why there are no events now, or undefined when there are again.
  trouble(reason: string | undefined): void;
}

const firstWait = 500;
const longestWait = 30_000;
const silence = 75_000; // an alive line comes each 30 s
const begin = 15_000; // until all loops have come
const grace = 3000; // for a new start, before the end of the last one is trouble
const schema = 1; // of the lines that this version understands
const settle = 200; // changes that come together are shown together

// eventOf reads a line. What is no JSON is not of cursor-ralph.
function eventOf(line: string): Event | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Event) : undefined;
  } catch {
    return undefined;
  }
}

export class Client {
  private readonly known = new Map<string, Loop>();
  private seen = new Set<string>();
  private pending = new Map<string, Change>();
  private child: ChildProcess | undefined;
  private cursor: string | undefined;
  private ready = false; // once
  private settled = false; // since the last start
  private wait = firstWait;
  private retry: NodeJS.Timeout | undefined;
  private flush: NodeJS.Timeout | undefined;
  private watchdog: NodeJS.Timeout | undefined;
  private late: NodeJS.Timeout | undefined; // reports trouble, if there is no new start by then
  private complaint = '';
  private disposed = false;

  // more are arguments of events.
  constructor(
    private readonly stream: (args: readonly string[]) => ChildProcess,
    private readonly more: readonly string[],
    private readonly events: Events,
  ) {}

  get loops(): Loop[] {
    return [...this.known.values()];
  }

  find(id: string): Loop | undefined {
    return this.known.get(id);
  }

  start(): void {
    if (this.disposed || this.child) return;
    this.retry = undefined;
    this.seen = new Set();
    this.settled = false;
    const args = ['events', '--json', '--until-eof', ...this.more, ...(this.cursor === undefined ? [] : ['--after', this.cursor])];
    const child = this.stream(args);
    this.child = child;
    this.complaint = '';
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => this.child === child && this.message(line));
    child.stderr?.on('data', (data: Buffer) => (this.complaint = (this.complaint + data.toString('utf8')).slice(-2000)));
    child.stdin?.on('error', () => undefined);
    child.on('error', (error) => this.ended(child, error.message));
    child.on('close', (code, signal) => this.ended(child, `it ended with ${signal ?? `exit code ${code}`}`));
    this.watch(begin);
  }

  dispose(): void {
    this.disposed = true;
    for (const timer of [this.retry, this.flush, this.watchdog, this.late]) clearTimeout(timer);
    this.child?.stdin?.end();
    this.child?.kill();
    this.child = undefined;
  }

  private message(line: string): void {
    const m = eventOf(line);
    if (!m) return;
    if (m.schema !== schema) return this.refuse(`cursor-ralph prints schema ${plain(String(m.schema))}, and this extension reads ${schema}: update both`);
    if (m.type === 'loop' && validId(m.loop.id)) this.loop(m.loop);
    if (m.type === 'removed') this.change(m.id, undefined);
    if (m.type === 'ready') this.isReady(m.resumed);
    if (m.cursor !== '') this.cursor = m.cursor;
    if (this.settled) this.watch(silence);
  }

  // refuse gives up: another start would print the same.
  private refuse(why: string): void {
    this.dispose();
    this.events.trouble(why);
  }

  private loop(loop: Loop): void {
    this.seen.add(loop.id);
    this.change(loop.id, loop);
  }

  // Before ready comes every loop there is, or, resumed, what has changed.
  private isReady(resumed: boolean): void {
    if (!resumed) for (const id of [...this.known.keys()]) if (!this.seen.has(id)) this.change(id, undefined);
    this.wait = firstWait;
    this.settled = true;
    clearTimeout(this.late);
    this.late = undefined;
    this.events.trouble(undefined);
    this.flushNow();
    this.ready = true;
  }

  private change(id: string, after: Loop | undefined): void {
    const before = this.pending.get(id)?.before ?? this.known.get(id);
    if (after) this.known.set(id, after);
    else this.known.delete(id);
    this.pending.set(id, { before, after });
    this.flush ??= setTimeout(() => this.flushNow(), settle);
  }

  private flushNow(): void {
    clearTimeout(this.flush);
    this.flush = undefined;
    const changes = [...this.pending.values()];
    this.pending = new Map();
    if (changes.length > 0) this.events.changed(changes, this.ready);
  }

  private watch(ms: number): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => {
      this.complaint = 'it does not answer';
      this.child?.kill('SIGKILL');
    }, ms);
  }

  private ended(child: ChildProcess, how: string): void {
    if (this.child !== child) return;
    this.child = undefined;
    clearTimeout(this.watchdog);
    if (this.disposed) return;
    const why = plain(this.complaint.replace(/^cursor-ralph: /gm, '')) || how;
    if (!this.settled) this.events.trouble(why);
    else this.late ??= setTimeout(() => this.events.trouble(why), grace);
    this.retry = setTimeout(() => this.start(), this.wait);
    this.wait = Math.min(longestWait, this.wait * 2);
  }
}
