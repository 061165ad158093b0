// Cursor's private commands and its documented API. Any of them may be missing,
// fail, hang or lie: each is looked up before it is called and has a time limit.
import { l10n } from 'vscode';
import { failed, missing, ok, within, type Result } from './result';
import { notice } from './text';

export interface Host {
  getCommands(): PromiseLike<string[]>;
  execute(command: string, ...args: unknown[]): PromiseLike<unknown>;
  // vscode.cursor, if this is Cursor.
  cursor: unknown;
  // The editor's name.
  name?: string;
}

export interface Plugins {
  registerPath(folder: string): unknown;
}

// The command that creates a chat.
export const createNew = 'composer.createNew';

const patience = 1500;

export class Cursor {
  // What became of each command, for doctor, and what to do when that changes.
  readonly worked = new Map<string, string>();
  learned: () => void = () => undefined;

  constructor(
    private readonly host: Host,
    private readonly ms = patience,
  ) {}

  async isCursor(): Promise<boolean> {
    return /cursor/i.test(this.host.name ?? '') || this.plugins() !== undefined || (await this.has('composer.openComposer'));
  }

  // needed is what to say where something works in Cursor alone.
  needed(what: string): string {
    return l10n.t('{0} needs Cursor, and this is {1}. Loops of `cursor-ralph run` can be seen and steered here.', what, notice(this.host.name ?? '', 60) || l10n.t('another editor'));
  }

  async has(command: string): Promise<boolean> {
    const all = await within('the list of commands', this.ms, () => this.host.getCommands());
    return all.kind === 'ok' && Array.isArray(all.value) && all.value.includes(command);
  }

  async call(command: string, ...args: unknown[]): Promise<Result<unknown>> {
    if (!(await this.has(command))) return this.note(command, missing(command));
    return this.note(command, await within(command, this.ms, () => this.host.execute(command, ...args)));
  }

  // shownChats are the ids of the chats shown, the newest selection first.
  async shownChats(): Promise<Result<string[]>> {
    const name = 'composer.getOrderedSelectedComposerIds';
    const r = await this.call(name);
    if (r.kind !== 'ok') return r;
    const ids = r.value;
    if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) return this.note(name, failed(name, 'its answer is not a list of ids'));
    return ok(ids as string[]);
  }

  openChat(id: string): Promise<Result<unknown>> {
    return this.call('composer.openComposer', id);
  }

  focusEditorChat(): Promise<Result<unknown>> {
    return this.call('composer.focusComposer');
  }

  focusAgentsChat(): Promise<Result<unknown>> {
    return this.call('glass.focusInput');
  }

  // newChat creates a chat with a text and submits it. Its promise may resolve only
  // when the turn ends, so after a timeout it may have been sent.
  newChat(text: string): Promise<Result<unknown>> {
    return this.call(createNew, { partialState: { text }, autoSubmit: true });
  }

  // fillNewChat creates a chat with a text that the user sends.
  fillNewChat(text: string): Promise<Result<unknown>> {
    return this.call(createNew, { partialState: { text } });
  }

  plugins(): Plugins | undefined {
    const api = this.host.cursor as { plugins?: Partial<Plugins> } | undefined;
    const p = api?.plugins;
    return typeof p?.registerPath === 'function' ? (p as Plugins) : undefined;
  }

  async registerPlugin(folder: string): Promise<Result<unknown>> {
    const name = 'vscode.cursor.plugins.registerPath';
    const plugins = this.plugins();
    if (!plugins) return this.note(name, missing(name));
    return this.note(name, await within(name, this.ms * 20, async () => plugins.registerPath(folder))); // Cursor may be starting
  }

  private note<T>(command: string, r: Result<T>): Result<T> {
    const news = this.worked.get(command) !== r.kind;
    this.worked.set(command, r.kind);
    if (news) this.learned();
    return r;
  }
}
