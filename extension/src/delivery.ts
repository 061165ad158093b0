// Puts a line into a chat's input: show the chat, check that it is shown, focus
// its input, paste. It never presses a key, selects or deletes anything.
//
// No API reads an input. After a paste the line counts as left there until a message
// leaves that chat: a second paste would make one message of two lines. Until then the
// user, who sees the input, has to send it.
import { missing, within, words, type Result } from './result';
import { createNew, type Cursor } from './cursor';

export interface Desk {
  readClipboard(): PromiseLike<string>;
  writeClipboard(text: string): PromiseLike<void>;
  // canLeave reports whether the focus can be moved to where a paste does nothing.
  canLeave(): boolean;
  // watch reports where text was inserted into a document, and what else shows
  // that the focus is not in the chat, until it is disposed.
  watch(line: string): { strayed(): string | undefined; dispose(): void };
  // idle is for how long the user has done nothing that can be seen here, in ms.
  idle(): number;
  // asked is for how long no box of this extension has been open or used, in ms.
  asked(): number;
  sleep(ms: number): Promise<void>;
}

// Memory keeps what outlives a window's reload, as an input does.
export interface Memory {
  get(): readonly (readonly [string, number])[];
  set(value: readonly (readonly [string, number])[]): void;
}

export type Code = 'not-here' | 'not-shown' | 'no-focus' | 'left' | 'no-paste' | 'strayed' | 'moved' | 'user-busy' | 'not-created';

export type Done = { ok: true } | { ok: false; code: Code; reason: string; touched: boolean };

const done: Done = { ok: true };
const not = (code: Code, reason: string, touched = false): Done => ({ ok: false, code, reason, touched });

// each does one step after the other, until one fails.
async function each(...steps: (() => Promise<Done>)[]): Promise<Done> {
  for (const step of steps) {
    const r = await step();
    if (!r.ok) return r;
  }
  return done;
}

const editorPaste = 'editor.action.clipboardPasteAction';
const agentsPaste = 'glass.osEditPaste';
const busy = not('user-busy', 'the user is busy');
const pasteWait = 150; // an input reads the clipboard a moment after the command
const quiet = 1000; // without a key or a click of the user
const quietWait = 10_000; // for that, at most
const turnWait = 10_000; // of the user who asked for something
const remembered = 50; // chats

export class Delivery {
  private watching: { strayed(): string | undefined; dispose(): void } | undefined;
  private pasting: { chat: string; command: string } | undefined; // since the focus is in its input
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly cursor: Cursor,
    private readonly desk: Desk,
    private readonly memory: Memory,
  ) {}

  // turn waits until nobody else works with the chats of this window. Whoever gets it
  // has to end it; undefined is for a wait that was too long.
  async turn(ms: number): Promise<(() => void) | undefined> {
    const before = this.last;
    let end = (): void => undefined;
    this.last = new Promise<void>((resolve) => (end = resolve)).then(() => before);
    if ((await within('the turn', ms, () => before)).kind === 'ok') return () => (this.forget(), end());
    end();
    return undefined;
  }

  // alone does what the user asked for in its turn.
  async alone<T>(work: () => Promise<T>): Promise<T | undefined> {
    const end = await this.turn(turnWait);
    return end && work().finally(end);
  }

  // place reports whether this window shows a chat: in front, in another place, or
  // not, which does not mean that it cannot.
  async place(chat: string): Promise<Result<'front' | 'shown' | 'unknown'>> {
    const shown = await this.cursor.shownChats();
    if (shown.kind !== 'ok') return shown;
    const at = shown.value.indexOf(chat);
    return { kind: 'ok', value: at === 0 ? 'front' : at > 0 ? 'shown' : 'unknown' };
  }

  // deliver and begin do all steps, for a user who has asked for it here.
  async deliver(chat: string, line: string): Promise<Done> {
    return each(() => this.rest(), () => this.show(chat), () => this.focus(chat), () => this.put(chat, line));
  }

  async begin(line: string): Promise<Done> {
    return each(() => this.rest(), () => this.create(line));
  }

  // isActive reports whether the user is at work.
  isActive(): boolean {
    return this.desk.idle() < quiet;
  }

  // rest waits until the user does nothing, for a limited time. Of a user who has been waited for,
  // only the boxes here are new.
  async rest(rested = false): Promise<Done> {
    const idle = (): number => (rested ? this.desk.asked() : this.desk.idle());
    const end = performance.now() + quietWait;
    while (idle() < quiet && performance.now() < end) await this.desk.sleep(quiet - idle());
    return idle() >= quiet ? done : busy;
  }

  // show brings a chat to the front.
  async show(chat: string): Promise<Done> {
    this.forget();
    const opened = await this.cursor.openChat(chat);
    const place = await this.place(chat);
    if (place.kind === 'ok' && place.value === 'front') return done;
    if (opened.kind !== 'ok') return not('not-shown', words(opened));
    return not('not-shown', place.kind === 'ok' ? 'Cursor did not bring the chat to the front' : words(place));
  }

  // focus moves the focus into the input of the chat in front. It leaves the editors first: if
  // Cursor's command then does nothing, the line goes nowhere instead of into a source file.
  async focus(chat: string): Promise<Done> {
    this.pasting = undefined;
    if (!(await this.rest(true)).ok) return busy;
    const left = this.desk.canLeave() ? await this.cursor.call('workbench.action.focusStatusBar') : missing('a status bar that is shown');
    const paste = left.kind === 'ok' ? await this.focusInput() : left;
    if (paste.kind !== 'ok') return not('no-focus', words(paste));
    this.pasting = { chat, command: paste.value };
    return done;
  }

  // put puts a line into the input that has the focus.
  async put(chat: string, line: string): Promise<Done> {
    const { pasting } = this;
    this.pasting = undefined;
    if (pasting?.chat !== chat) return not('no-focus', "the focus is not in the chat's input");
    if (this.isAsking()) return busy; // a box that was opened meanwhile has the focus
    if (this.isLeft(chat)) return not('left', 'a line that was put in before may still be in its input', true);
    const pasted = await this.paste(chat, line, pasting.command);
    if (pasted.kind === 'missing') this.remember(chat, undefined);
    const strayed = this.watching?.strayed();
    if (strayed) return not('strayed', strayed, true);
    return pasted.kind === 'ok' ? done : not('no-paste', words(pasted), pasted.kind !== 'missing');
  }

  // isLeft reports whether a line may still be in a chat's input.
  isLeft(chat: string): boolean {
    return this.putAt(chat) !== undefined;
  }

  // sent takes in that a message of the user left a chat's input at a time.
  sent(chat: string, at: number): void {
    if ((this.putAt(chat) ?? Infinity) <= at) this.remember(chat, undefined);
  }

  private putAt(chat: string): number | undefined {
    return this.memory.get().find(([known]) => known === chat)?.[1];
  }

  private remember(chat: string, at: number | undefined): void {
    const others = this.memory.get().filter(([known]) => known !== chat);
    this.memory.set([...others, ...(at === undefined ? [] : [[chat, at] as const])].slice(-remembered));
  }

  // isAsking reports whether the user is at work in a box of this extension.
  private isAsking(): boolean {
    return this.desk.asked() < quiet;
  }

  // creates reports whether the editor may be able to create a chat.
  creates(): Promise<boolean> {
    return this.cursor.has(createNew);
  }

  // create begins a chat with a line, once. Cursor may answer only when its turn ends:
  // only of a missing command it is certain that nothing was sent.
  async create(line: string): Promise<Done> {
    if (this.isAsking()) return busy;
    const r = await this.cursor.newChat(line);
    return r.kind === 'ok' || r.kind === 'timeout' ? done : not('not-created', words(r), r.kind !== 'missing');
  }

  // check reports whether the focus is still in the chat.
  async check(chat: string): Promise<Done> {
    const strayed = this.watching ? this.watching.strayed() : 'nothing was put into a chat';
    if (strayed) return not('moved', strayed, true);
    if (this.isAsking()) return not('moved', 'the user is busy', true);
    const place = await this.place(chat);
    return place.kind === 'ok' && place.value === 'front' ? done : not('moved', 'another chat is in front', true);
  }

  forget(): void {
    this.watching?.dispose();
    this.watching = this.pasting = undefined;
  }

  // focusInput calls both windows' commands: in the Agents window Cursor's usual one
  // may do nothing, without an error.
  private async focusInput(): Promise<Result<string>> {
    const usual = await this.cursor.focusEditorChat();
    const agents = await this.cursor.focusAgentsChat();
    if (agents.kind === 'ok') return { kind: 'ok', value: (await this.cursor.has(agentsPaste)) ? agentsPaste : editorPaste };
    if (agents.kind === 'timeout') return agents; // it may yet move the focus
    return usual.kind === 'ok' ? { kind: 'ok', value: editorPaste } : usual;
  }

  private async paste(chat: string, line: string, command: string): Promise<Result<unknown>> {
    const had = await this.desk.readClipboard();
    await this.desk.writeClipboard(line);
    this.remember(chat, Date.now());
    this.watching = this.desk.watch(line);
    try {
      const r = await this.cursor.call(command);
      await this.desk.sleep(pasteWait);
      return r;
    } finally {
      if ((await this.desk.readClipboard()) === line) await this.desk.writeClipboard(had);
    }
  }
}
