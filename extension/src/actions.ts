// What the menu, the view, the reports and the notices can do. cursor-ralph says which
// commands have a loop do something; these run them.
import * as vscode from 'vscode';
import { actionOf, byAge, isEnded, isHere, validId, type Action, type Loop } from './loops';
import { label, notice, plain } from './text';
import { createNew, type Cursor } from './cursor';
import { mayStart } from './trust';
import type { Boxes } from './boxes';
import type { Delivery } from './delivery';
import type { Outcome, Program } from './program';

const { t } = vscode.l10n;

export interface Window {
  loops(): Loop[];
  folders(): string[];
  program(): Program | undefined;
  trouble(): string | undefined;
  settled(): Promise<unknown>; // what this window does at its start is done
  report(l: Loop): void;
  dismiss(l: Loop): void;
  begin(line: string): Promise<void>;
  boxes: Boxes;
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

  get boxes(): Boxes {
    return this.w.boxes;
  }

  hasProgram(): boolean {
    return this.w.program() !== undefined;
  }

  // quietly runs a command that the user did not ask for.
  async quietly(args: readonly string[], input = '', cwd?: string): Promise<Outcome | undefined> {
    return this.w.program()?.run(args, { input, cwd });
  }

  // run runs a command and shows what failed.
  async run(args: readonly string[], options: { cwd?: string; ms?: number; input?: string; signal?: AbortSignal } = {}): Promise<Outcome | undefined> {
    const program = this.w.program();
    if (!program) return this.noProgram();
    const out = await program.run(args, options);
    if (out.code !== 0 && !options.signal?.aborted) this.complain(out);
    return out;
  }

  private complain(out: Outcome): void {
    void vscode.window.showErrorMessage(notice(`cursor-ralph: ${out.what}${out.hint ? ` — ${out.hint}` : ''}`));
  }

  private async noProgram(): Promise<undefined> {
    const open = t('Open Settings');
    const chosen = await vscode.window.showErrorMessage(notice(`cursor-ralph: ${this.w.trouble() ?? t('the program is not found')}`), open);
    if (chosen === open) await vscode.commands.executeCommand('workbench.action.openSettings', 'cursorRalph.program');
    return undefined;
  }

  private mine = (): Loop[] => this.w.loops().filter(isHere).sort(byAge);

  // choose returns the loop that a command is about: the one it was called with,
  // the only one that suits, or the one that the user picks.
  private async choose(from: unknown, suits: (l: Loop) => boolean, title: string): Promise<Loop | undefined> {
    const id = typeof from === 'string' ? from : (from as { loop?: { id?: unknown } } | undefined)?.loop?.id;
    if (validId(id)) {
      const known = this.w.loops().find((l) => l.id === id);
      if (!known) void vscode.window.showInformationMessage(t('This window does not know loop {0}.', id));
      return known;
    }
    const fit = this.mine().filter(suits);
    if (fit.length === 0) void vscode.window.showInformationMessage(t('No loop here can do that now.'));
    return fit.length < 2 ? fit[0] : this.pick(fit, title);
  }

  private async pick(loops: readonly Loop[], title: string): Promise<Loop | undefined> {
    const items = loops.map((l) => ({ label: label(l.item.title), description: `${l.id} • ${label(l.item.description)}`, loop: l }));
    return (await this.boxes.pick(items, { title, matchOnDescription: true }))?.loop;
  }

  // asked is the command for an action.
  asked = (name: Action['name']) => async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, (one) => actionOf(one, name) !== undefined, t('Which loop?'));
    if (l) await this.act(l, name);
  };

  // act has a loop do something, if that is still possible.
  act = async (l: Loop, name: string): Promise<void> => {
    const now = this.w.loops().find((one) => one.id === l.id) ?? l;
    const a = now.actions.find((one) => one.name === name);
    if (!a) return void vscode.window.showInformationMessage(notice(t('The loop has gone on: {0}', now.item.description)));
    switch (a.name) {
      case 'context':
        return this.context(now, a);
      case 'cancel':
        return this.cancel(now, a);
      case 'pause':
        return void (await this.steps(a));
    }
    if (!(await mayStart(t('A loop')))) return;
    if (a.name === 'begin' && now.chat_line) return this.w.begin(now.chat_line);
    if (now.new_chat && a.name === 'resume') await this.steps(a);
    if (now.new_chat) return this.offerNewChat(now);
    if (a.terminal) return this.inTerminal(a.steps?.[0] ?? [], now.workspace);
    const out = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: t('Continuing loop {0}', now.id) }, () => this.steps(a, true));
    if (out && out.code !== 0) await this.offerLine(now, out);
  };

  private async steps(a: Action, silent = false): Promise<Outcome | undefined> {
    let out: Outcome | undefined;
    for (const args of a.steps ?? []) {
      out = silent ? await this.w.program()?.run(args, { ms: deliveryWait }) : await this.run(args);
      if (out?.code !== 0) break;
    }
    return out;
  }

  private async cancel(l: Loop, a: Action): Promise<void> {
    const yes = t('Cancel the Loop');
    const detail = t('It ends at once. Its record stays, and it can be continued later.');
    const chosen = await this.boxes.during(() => vscode.window.showWarningMessage(notice(t('Cancel the loop "{0}"?', l.item.title)), { modal: true, detail }, yes));
    if (chosen === yes) await this.steps(a);
  }

  private async context(l: Loop, a: Action): Promise<void> {
    const text = await this.boxes.input({ title: t('Context for {0}', l.item.title), prompt: t('The agent reads it once, with its next continuation.'), ignoreFocusOut: true });
    if (text === undefined || text.trim() === '') return;
    const out = await this.run([...(a.steps?.[0] ?? []), text]);
    if (out?.code === 0) void vscode.window.setStatusBarMessage(t('The agent reads it with its next continuation.'), 5000);
  }

  // inTerminal runs cursor-ralph where the user sees it and can answer.
  async inTerminal(args: readonly string[], cwd: string): Promise<void> {
    const program = this.w.program();
    if (!program) return this.noProgram();
    const run = new vscode.ProcessExecution(program.path, [...args], { cwd });
    await vscode.tasks.executeTask(new vscode.Task({ type: 'cursor-ralph' }, vscode.TaskScope.Workspace, t('Ralph loop'), 'Cursor Ralph', run));
  }

  private async offerLine(l: Loop, out: Outcome): Promise<void> {
    if (!l.chat_line) return this.complain(out);
    const copy = t('Copy Line');
    const chosen = await vscode.window.showInformationMessage(notice(t('{0}. To continue the loop, send this line in its chat: {1}', out.what, l.chat_line)), copy);
    if (chosen === copy) await vscode.env.clipboard.writeText(plain(l.chat_line));
  }

  // offerNewChat is for a loop that awaits a new chat: in the old one a second agent
  // would work. The user sends the line, since the awaited chat may come after all.
  private async offerNewChat(l: Loop): Promise<void> {
    const line = l.chat_line ?? '';
    const [open, copy] = [t('Open New Chat'), t('Copy Line')];
    const said = t('Loop {0} goes on in a new chat, which has not begun. If none is open, open one and send this line there: {1}', l.id, line);
    const chosen = await vscode.window.showInformationMessage(notice(said), ...((await this.cursor.has(createNew)) ? [open] : []), copy);
    const filled = chosen === open && (await this.delivery.alone(() => this.cursor.fillNewChat(line)));
    if (chosen === copy || (chosen === open && !(filled && filled.kind === 'ok'))) await vscode.env.clipboard.writeText(plain(line));
  }

  copyLine = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, (one) => one.chat_line !== undefined, t('Which loop?'));
    if (!l?.chat_line) return;
    await vscode.env.clipboard.writeText(plain(l.chat_line));
    void vscode.window.setStatusBarMessage(t('The line is on the clipboard: send it in a chat.'), 5000);
  };

  openChat = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, (one) => one.kind === 'chat' && one.conversation_id !== undefined, t('Which loop?'));
    if (!l?.conversation_id) return;
    const r = await this.cursor.openChat(l.conversation_id);
    if (r.kind !== 'ok') void vscode.window.showInformationMessage(this.cursor.needed(t("Opening a loop's chat")));
  };

  report = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, () => true, t('Which loop?'));
    if (l) this.w.report(l);
  };

  // why and log show cursor-ralph's own words in the output panel, as text.
  why = async (from?: unknown): Promise<void> => {
    const l = await this.choose(from, () => true, t('Which loop?'));
    if (l) await this.show(['log', l.id]);
  };
  log = (): Promise<void> => this.show(['log', '--lines', '200']);
  doctor = async (): Promise<void> => {
    await this.w.settled(); // or it would find what is being installed missing
    if (!this.hasProgram()) return void (await this.noProgram());
    await this.show(['doctor']);
  };

  private async show(args: readonly string[]): Promise<void> {
    const out = await this.w.program()?.run(args, { cwd: this.w.folders()[0], ms: 60_000 });
    if (!out) return void (await this.noProgram());
    this.w.output.appendLine(`$ cursor-ralph ${args.join(' ')}`);
    this.w.output.appendLine(out.stdout.trimEnd() || [out.what, out.hint].filter((text) => text !== '').join('\n'));
    this.w.output.show(true);
  }

  // loopMode turns loop mode off where it is on, and on where it is off.
  loopMode = async (): Promise<void> => {
    const folder = await this.folder();
    if (folder === undefined) return void vscode.window.showInformationMessage(t('Loop mode belongs to a folder: open one first.'));
    const on = !(await this.isLoopModeOn(folder));
    if (on && !(await this.cursor.isCursor())) return void vscode.window.showInformationMessage(this.cursor.needed(t('Loop mode')));
    if (on && !(await mayStart(t('Loop mode')))) return;
    const out = await this.run(['loop-mode', on ? 'on' : 'off', '--workspace', folder], { cwd: folder });
    if (out?.code === 0) void vscode.window.setStatusBarMessage(on ? t('Loop mode is on: your next message in a chat starts a loop.') : t('Loop mode is off.'), 5000);
  };

  private async isLoopModeOn(folder: string): Promise<boolean> {
    const out = await this.quietly(['loop-mode', 'status', '--json', '--workspace', folder], '', folder);
    try {
      return (JSON.parse(out?.stdout ?? '') as { on?: unknown }).on === true;
    } catch {
      return false;
    }
  }

  async folder(): Promise<string | undefined> {
    const all = this.w.folders();
    return all.length < 2 ? all[0] : (await this.boxes.pick(all.map((one) => ({ label: one })), { title: t('Which folder?') }))?.label;
  }

  // menu is the chip's: of one loop; of several the user picks one first.
  menu = async (): Promise<void> => {
    if (!this.hasProgram()) return void (await this.noProgram());
    const live = this.mine().filter((l) => !isEnded(l)).sort((a, b) => Number(b.needs_user) - Number(a.needs_user));
    const l = live.length > 1 ? await this.pick(live, t('Which loop?')) : (live[0] ?? this.mine().sort((a, b) => (b.ended_at ?? '').localeCompare(a.ended_at ?? ''))[0]);
    if (live.length > 1 && !l) return;
    const items = [...(l ? this.itemsOf(l) : []), ...this.general()];
    const chosen = await this.boxes.pick<Item>(items, { title: l ? `${label(l.item.title)} • ${label(l.item.description)}` : 'Cursor Ralph' });
    await chosen?.act?.();
  };

  private itemsOf(l: Loop): Item[] {
    const shows: Item[] = [
      { label: t('Show report'), act: () => this.w.report(l) },
      ...(l.kind === 'chat' && l.conversation_id ? [{ label: t("Open the loop's chat"), act: () => this.openChat(l.id) }] : []),
      { label: t('Show what was decided and why'), act: () => this.why(l.id) },
      ...(isEnded(l) ? [{ label: t('Dismiss from the status bar'), act: () => this.w.dismiss(l) }] : []),
    ];
    return [...l.actions.map((a) => ({ label: label(a.title), act: () => this.act(l, a.name) })), ...shows];
  }

  private general(): Item[] {
    return [
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      { label: t('Start a loop…'), act: () => vscode.commands.executeCommand('cursorRalph.start') },
      { label: t('Show all loops'), act: () => vscode.commands.executeCommand('cursorRalph.loops.focus') },
    ];
  }
}
