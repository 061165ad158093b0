// Puts a line into a chat's input: show the chat, check that it is shown, focus
// its input, paste. It never presses a key, selects or deletes anything.
import { missing, words, type Result } from './result';
import type { Cursor } from './cursor';

export interface Desk {
  readClipboard(): PromiseLike<string>;
  writeClipboard(text: string): PromiseLike<void>;
  // canLeave reports whether the focus can be moved to where a paste does nothing.
  canLeave(): boolean;
  // watch reports where text was inserted into a document, and what else shows
  // that the focus is not in the chat, until it is disposed.
  watch(line: string): { strayed(): string | undefined; dispose(): void };
  sleep(ms: number): Promise<void>;
}

export type Code = 'not-here' | 'not-shown' | 'no-focus' | 'no-paste' | 'strayed' | 'cancelled';

export type Delivered = { ok: true } | { ok: false; code: Code; reason: string; touched: boolean };

export type Step = (name: 'show' | 'focus' | 'paste', result: string) => void;

const pasteWait = 150; // an input reads the clipboard a moment after the command

export class Delivery {
  private watching: { strayed(): string | undefined; dispose(): void } | undefined;

  constructor(
    private readonly cursor: Cursor,
    private readonly desk: Desk,
  ) {}

  // place reports whether this window shows a chat: in front, in another place, or
  // not, which does not mean that it cannot.
  async place(chat: string): Promise<Result<'front' | 'shown' | 'unknown'>> {
    const shown = await this.cursor.shownChats();
    if (shown.kind !== 'ok') return shown;
    const at = shown.value.indexOf(chat);
    return { kind: 'ok', value: at === 0 ? 'front' : at > 0 ? 'shown' : 'unknown' };
  }

  async deliver(chat: string, line: string, step: Step, cancelled: () => boolean): Promise<Delivered> {
    this.forget();
    const not = (code: Code, reason: string, touched = false): Delivered => ({ ok: false, code, reason, touched });
    const opened = await this.cursor.openChat(chat);
    const place = await this.place(chat);
    const inFront = place.kind === 'ok' && place.value === 'front';
    step('show', inFront ? 'ok' : words(opened.kind === 'ok' ? place : opened));
    if (!inFront) return not('not-shown', this.whyNotShown(opened, place));
    if (cancelled()) return not('cancelled', 'the request was withdrawn');
    const paste = await this.focus(step);
    if (paste.kind !== 'ok') return not('no-focus', words(paste));
    if (cancelled()) return not('cancelled', 'the request was withdrawn');
    const pasted = await this.paste(line, paste.value);
    const strayed = this.watching?.strayed();
    step('paste', strayed ?? words(pasted));
    if (strayed) return not('strayed', strayed, true);
    return pasted.kind === 'ok' ? { ok: true } : not('no-paste', words(pasted), pasted.kind !== 'missing');
  }

  // check returns why the focus may not be in the chat any more.
  async check(chat: string): Promise<string | undefined> {
    if (!this.watching) return 'nothing was put into a chat';
    const strayed = this.watching.strayed();
    if (strayed) return strayed;
    const place = await this.place(chat);
    return place.kind === 'ok' && place.value === 'front' ? undefined : 'another chat is in front';
  }

  forget(): void {
    this.watching?.dispose();
    this.watching = undefined;
  }

  private whyNotShown(opened: Result<unknown>, place: Result<string>): string {
    if (opened.kind !== 'ok') return words(opened);
    return place.kind === 'ok' ? 'Cursor did not bring the chat to the front' : words(place);
  }

  // focus leaves the editors first: if Cursor's command then does nothing, the
  // line goes nowhere instead of into a source file. It returns the paste command.
  private async focus(step: Step): Promise<Result<string>> {
    const left = this.desk.canLeave() ? await this.cursor.call('workbench.action.focusStatusBar') : missing('a status bar that is shown');
    if (left.kind !== 'ok') {
      step('focus', words(left));
      return left;
    }
    let r: Result<unknown> = await this.cursor.focusEditorChat();
    let command = 'editor.action.clipboardPasteAction';
    if (r.kind !== 'ok') {
      const agents = await this.cursor.focusAgentsChat();
      if (agents.kind === 'ok') [r, command] = [agents, 'glass.osEditPaste'];
    }
    step('focus', words(r));
    return r.kind === 'ok' ? { kind: 'ok', value: command } : r;
  }

  private async paste(line: string, command: string): Promise<Result<unknown>> {
    const had = await this.desk.readClipboard();
    await this.desk.writeClipboard(line);
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
