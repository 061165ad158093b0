// What the menu, the view and the notices can do: each runs one cursor-ralph
// command. All of it is in the command palette too.
import * as vscode from 'vscode';
import { byUrgency, chatLine, here, isContinuable, isEnded, isLive, isPausable, isResumable, iterationWords, statusWords, validId, type Loop } from './loops';
import { label, notice, plain } from './text';
import { createNew, type Cursor } from './cursor';
import type { Delivery } from './delivery';
import type { Outcome, Program } from './program';

export interface Window {
  loops(): Loop[];
  folders(): string[];
  program(): Program | undefined;
  details(l: Loop): void;
  output: vscode.OutputChannel;
}

const deliveryWait = 150_000; // more than cursor-ralph waits for a line to arrive

type Item = vscode.QuickPickItem & { act?: () => unknown };

export class Actions {
  constructor(
    private readonly w: Window,
    readonly cursor: Cursor,
    private readonly delivery: Delivery,
  ) {}

  hasProgram(): boolean {
    return this.w.program() !== undefined;
  }

  // quietly runs a command that the user did not ask for.
  async quietly(args: readonly string[], input = '', cwd?: string): Promise<Outcome | undefined> {
    return this.w.program()?.run(args, { input, cwd });
  }

  // run runs a command and shows what failed.
  async run(args: readonly string[], options: { cwd?: string; ms?: number } = {}): Promise<Outcome | undefined> {
    const program = this.w.program();
    if (!program) {
      void this.noProgram();
      return undefined;
    }
    const out = await program.run(args, options);
    if (out.code !== 0) void vscode.window.showErrorMessage(notice(`cursor-ralph: ${out.what}${out.hint ? ` — ${out.hint}` : ''}`, 400));
    return out;
  }

  async noProgram(): Promise<void> {
    const open = 'Open Settings';
    const chosen = await vscode.window.showErrorMessage('cursor-ralph: the program is not found: neither in the extension nor on the PATH.', open);
    if (chosen === open) await vscode.commands.executeCommand('workbench.action.openSettings', 'cursorRalph.program');
  }

  // choose returns the loop that a command is about: the one it was called with,
  // the only one that suits, or the one that the user picks.
  async choose(from: unknown, suits: (l: Loop) => boolean, verb: string): Promise<Loop | undefined> {
    const given = this.given(from);
    if (given) return given;
    const mine = here(this.w.loops(), this.w.folders()).filter(suits).sort(byUrgency);
    if (mine.length <= 1) {
      if (mine.length === 0) void vscode.window.showInformationMessage(`There is no loop here to ${verb}.`);
      return mine[0];
    }
    const items = mine.map((l) => ({ label: label(l.prompt, 60), description: `${l.id} • ${statusWords(l)} • ${iterationWords(l)}`, loop: l }));
    return (await vscode.window.showQuickPick(items, { title: `Which loop to ${verb}?`, matchOnDescription: true }))?.loop;
  }

  private given(from: unknown): Loop | undefined {
    const id = typeof from === 'string' ? from : (from as { loop?: { id?: unknown } } | undefined)?.loop?.id;
    return validId(id) ? this.w.loops().find((l) => l.id === id) : undefined;
  }

  pause = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, isPausable, 'pause');
    if (l) await this.run(['pause', l.id]);
  };
  resume = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, isResumable, 'resume');
    if (!l) return;
    const out = await this.run(['resume', l.id, ...(l.newChat ? [] : ['--inject'])], { ms: deliveryWait });
    if (l.newChat && out?.code === 0) await this.offerNewChat(l);
  };

  cancel = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, isLive, 'cancel');
    if (!l) return;
    const yes = 'Cancel the Loop';
    const detail = 'It ends at once. Its record stays, and it can be continued later.';
    const chosen = await vscode.window.showWarningMessage(notice(`Cancel loop ${l.id} (${label(l.prompt, 60)})?`), { modal: true, detail }, yes);
    if (chosen === yes) await this.run(['cancel', l.id]);
  };

  context = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, isLive, 'add context to');
    if (!l) return;
    const text = await vscode.window.showInputBox({ title: `Context for loop ${l.id}`, prompt: 'The agent reads it once, at its next continuation.', ignoreFocusOut: true });
    if (text === undefined || text.trim() === '') return;
    const out = await this.run(['context', l.id, '--', text]);
    if (out?.code === 0) void vscode.window.setStatusBarMessage('The agent reads it at its next continuation.', 5000);
  };

  // continueNow types the line by the first way that works; for a loop that
  // cannot be typed to, the user gets the line.
  continueNow = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, isContinuable, 'continue');
    if (!l) return;
    if (l.newChat) return this.offerNewChat(l);
    const chat = l.conversation;
    if (chat === undefined || isEnded(l) || chatLine(l) === undefined) return this.offerLine(l);
    const out = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: `Continuing loop ${l.id}` }, () => this.tryInject(chat));
    if (out?.code !== 0) await this.offerLine(l, out);
  };

  private async tryInject(chat: string): Promise<Outcome | undefined> {
    return this.w.program()?.run(['inject', chat], { ms: deliveryWait });
  }

  private async offerLine(l: Loop, out?: Outcome): Promise<void> {
    const line = l.continueWith ?? '';
    const how = chatLine(l) === undefined ? 'run this in its folder' : 'send this line in its chat';
    const copy = 'Copy Line';
    const why = out && out.what !== '' ? `${out.what}. ` : '';
    const chosen = await vscode.window.showInformationMessage(notice(`${why}To continue the loop, ${how}: ${line}`, 400), copy);
    if (chosen === copy) await vscode.env.clipboard.writeText(line);
  }

  // offerNewChat is for a loop that awaits a new chat: in the old one a second agent
  // would work. The user sends the line, since the awaited chat may come after all.
  private async offerNewChat(l: Loop): Promise<void> {
    const line = l.continueWith ?? '';
    const [open, copy] = ['Open New Chat', 'Copy Line'];
    const said = `Loop ${l.id} goes on in a new chat, which has not begun. If none is open, open one and send this line there: ${line}`;
    const chosen = await vscode.window.showInformationMessage(notice(said, 400), ...((await this.cursor.has(createNew)) ? [open] : []), copy);
    const filled = chosen === open && (await this.delivery.alone(() => this.cursor.fillNewChat(line)));
    if (chosen === copy || (chosen === open && !(filled && filled.kind === 'ok'))) await vscode.env.clipboard.writeText(plain(line));
  }

  copyLine = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, isContinuable, 'copy the line of');
    if (l?.continueWith === undefined) return;
    await vscode.env.clipboard.writeText(plain(l.continueWith)); // for a chat, or a terminal
    void vscode.window.setStatusBarMessage('The continue line is on the clipboard.', 5000);
  };

  details = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, () => true, 'show');
    if (l) this.w.details(l);
  };

  // why and log show cursor-ralph's own words in the output panel, as text.
  why = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, () => true, 'explain');
    if (l) await this.show(['log', l.id]);
  };
  log = (): Promise<void> => this.show(['log', '--lines', '200']);
  doctor = (): Promise<void> => this.show(['doctor']);

  private async show(args: readonly string[]): Promise<void> {
    const out = await this.w.program()?.run(args, { cwd: this.w.folders()[0], ms: 60_000 });
    if (!out) return this.noProgram();
    this.w.output.appendLine(`$ cursor-ralph ${args.join(' ')}`);
    this.w.output.appendLine(out.stdout.trimEnd() || [out.what, out.hint].filter((t) => t !== '').join('\n'));
    this.w.output.show(true);
  }

  // loopMode turns loop mode off where it is on, and on where it is off.
  loopMode = async (): Promise<void> => {
    const folder = await this.folder();
    if (folder === undefined) return void vscode.window.showInformationMessage('Loop mode belongs to a folder: open one first.');
    const on = !(await this.isLoopModeOn(folder));
    if (on && !(await this.cursor.isCursor())) return void vscode.window.showInformationMessage(this.cursor.needed('Loop mode'));
    const out = await this.run(['loop-mode', on ? 'on' : 'off', '--workspace', folder], { cwd: folder });
    if (out?.code === 0) void vscode.window.setStatusBarMessage(`Loop mode is ${on ? 'on: your next message in a chat starts a loop' : 'off'}.`, 5000);
  };

  private async isLoopModeOn(folder: string): Promise<boolean> {
    const out = await this.quietly(['loop-mode', 'status', '--json', '--workspace', folder], '', folder);
    try {
      return (JSON.parse(out?.stdout ?? '') as { on?: unknown }).on === true;
    } catch {
      return false;
    }
  }

  // loopModeItem says what choosing it does, where one folder is open.
  private async loopModeItem(): Promise<Item> {
    const [only, ...more] = this.w.folders();
    if (only === undefined || more.length > 0) return { label: '$(sync) Loop mode on or off…', act: this.loopMode };
    return (await this.isLoopModeOn(only)) ? { label: '$(sync-ignored) Turn loop mode off', act: this.loopMode } : { label: '$(sync) Turn loop mode on', act: this.loopMode };
  }

  async folder(): Promise<string | undefined> {
    const all = this.w.folders();
    if (all.length < 2) return all[0];
    return vscode.window.showQuickPick(all, { title: 'Which folder?' });
  }

  menu = async (): Promise<void> => {
    const mine = here(this.w.loops(), this.w.folders()).sort(byUrgency);
    const items = [...mine.slice(0, 5).flatMap((l) => this.itemsOf(l)), ...this.general(await this.loopModeItem())];
    const chosen = await vscode.window.showQuickPick<Item>(items, { title: 'Ralph Loop', matchOnDescription: true });
    await chosen?.act?.();
  };

  private itemsOf(l: Loop): Item[] {
    const all: [boolean, Item][] = [
      [isPausable(l), { label: '$(debug-pause) Pause', description: 'at its next stop', act: () => this.pause(l.id) }],
      [isResumable(l), { label: '$(debug-continue) Resume', act: () => this.resume(l.id) }],
      [isContinuable(l), { label: '$(play) Continue now', act: () => this.continueNow(l.id) }],
      [isLive(l), { label: '$(comment) Add context…', description: 'for the next continuation', act: () => this.context(l.id) }],
      [true, { label: '$(graph) Show history', act: () => this.details(l.id) }],
      [isLive(l), { label: '$(debug-stop) Cancel…', act: () => this.cancel(l.id) }],
    ];
    const title = { label: `${l.id} • ${statusWords(l)} • ${iterationWords(l)} • ${label(l.prompt, 50)}`, kind: vscode.QuickPickItemKind.Separator };
    return [title, ...all.filter(([suits]) => suits).map(([, item]) => ({ ...item, description: [item.description, l.id].filter(Boolean).join(' • ') }))];
  }

  private general(loopMode: Item): Item[] {
    return [
      { label: 'This window', kind: vscode.QuickPickItemKind.Separator },
      { label: '$(add) Start a loop…', act: () => vscode.commands.executeCommand('cursorRalph.start') },
      loopMode,
      { label: '$(list-tree) Show all loops', act: () => vscode.commands.executeCommand('cursorRalph.loops.focus') },
      { label: '$(output) Open log', act: () => this.log() },
    ];
  }
}
