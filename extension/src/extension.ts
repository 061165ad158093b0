// Puts the rooms together. Each of them does without vscode where it can.
import * as vscode from 'vscode';
import path from 'node:path';
import { Actions } from './actions';
import { Boxes } from './boxes';
import { Checkpoints, scheme } from './checkpoint';
import { Client, type Change } from './client';
import { Cursor } from './cursor';
import { Delivery, type Memory } from './delivery';
import { EditorDesk } from './desk';
import { isHere, type Iteration, type Loop } from './loops';
import { noticeOf, type Notice } from './notices';
import { find, program, type Program } from './program';
import { Rendezvous } from './rendezvous';
import { Reports } from './report';
import { reasonOf } from './result';
import { folders, section, settings } from './settings';
import { Setup } from './setup';
import { Start } from './start';
import { StatusBar } from './statusbar';
import { LoopTree } from './tree';

let running: Window | undefined;

export function activate(context: vscode.ExtensionContext): void {
  running = new Window(context);
  context.subscriptions.push(running);
  running.begin();
}

export function deactivate(): void {
  running?.dispose();
  running = undefined;
}

class Window implements vscode.Disposable {
  private readonly output = vscode.window.createOutputChannel('Cursor Ralph');
  private readonly cursor = new Cursor({
    getCommands: () => vscode.commands.getCommands(true),
    execute: (command, ...args) => vscode.commands.executeCommand(command, ...args),
    cursor: (vscode as unknown as { cursor?: unknown }).cursor,
    name: vscode.env.appName,
  });
  private readonly boxes = new Boxes();
  private readonly desk = new EditorDesk(this.boxes);
  private readonly delivery: Delivery; // the only one: all that touches a chat takes its turn
  private readonly statusBar = new StatusBar();
  private readonly actions: Actions;
  private readonly tree: LoopTree;
  private readonly reports: Reports;
  private readonly start: Start;
  private readonly setup: Setup;
  private readonly parts: vscode.Disposable[] = [];
  private ready: Promise<void> = Promise.resolve(); // there is a program, if any
  private settled: Promise<void> = Promise.resolve(); // and the hooks are installed
  private disposed = false;
  private all = false; // loops too that ended long ago
  private current: Program | undefined;
  private client: Client | undefined;
  private rendezvous: Rendezvous | undefined;
  private trouble: string | undefined;
  private readonly histories = new Map<string, { version: string; list: Promise<Iteration[]> }>();

  constructor(context: vscode.ExtensionContext) {
    const uri = (l: Loop, file: string): vscode.Uri => vscode.Uri.file(path.resolve(l.workspace || '/', file));
    const loops = (): Loop[] => this.client?.loops ?? [];
    const history = (l: Loop): Promise<Iteration[]> => this.history(l);
    this.delivery = new Delivery(this.cursor, this.desk, memoryOf(context.workspaceState));
    this.actions = new Actions({
      loops, folders, program: () => this.current, trouble: () => this.trouble, settled: () => this.settled, boxes: this.boxes, output: this.output,
      report: (l) => this.reports.open(l), dismiss: (l) => this.statusBar.dismiss(l.id), begin: (line) => this.start.begin(line),
    }, this.cursor, this.delivery);
    this.start = new Start(this.actions, this.cursor, this.delivery, context.workspaceState);
    this.tree = new LoopTree({ loops, all: () => this.all, history, uri });
    this.reports = new Reports({ find: (id) => this.client?.find(id), page: (id) => this.page(id), history, uri, act: this.actions.act }, vscode.Uri.joinPath(context.extensionUri, 'media'));
    this.setup = new Setup(context, this.cursor, this.actions, this.output);
    this.parts.push(this.setup, this.output, this.statusBar, this.reports, this.desk, this.tree, this.start);
    this.parts.push(vscode.workspace.registerTextDocumentContentProvider(scheme, new Checkpoints(() => this.current)));
    this.commands();
    this.parts.push(vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration(section) && this.configured()));
    this.parts.push(vscode.workspace.onDidChangeWorkspaceFolders(() => this.follow()));
    this.parts.push(vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()));
  }

  private commands(): void {
    const a = this.actions;
    const all: Record<string, (...args: never[]) => unknown> = {
      start: this.start.open,
      startForm: this.start.start,
      menu: a.menu,
      begin: a.asked('begin'),
      pause: a.asked('pause'),
      resume: a.asked('resume'),
      cancel: a.asked('cancel'),
      context: a.asked('context'),
      continueNow: a.asked('continue'),
      details: a.report,
      openChat: a.openChat,
      copyLine: a.copyLine,
      log: a.log,
      why: a.why,
      loopMode: a.loopMode,
      install: () => this.setup.installByProgram(),
      doctor: a.doctor,
      show: () => vscode.commands.executeCommand('cursorRalph.loops.focus'),
      older: () => ((this.all = true), this.follow()),
    };
    // After an update the programs are copied first: until then there is no program.
    const whenReady = (f: (...args: never[]) => unknown) => (...args: never[]): unknown => this.ready.then(() => f(...args));
    for (const [name, f] of Object.entries(all)) this.parts.push(vscode.commands.registerCommand(`${section}.${name}`, whenReady(f)));
  }

  begin(): void {
    const failed = (error: unknown): void => this.output.appendLine(reasonOf(error));
    this.ready = this.setup.begin().catch(failed).then(() => this.restart());
    void this.cursor.isCursor().then((is) => vscode.commands.executeCommand('setContext', 'cursorRalph.isCursor', is));
    this.settled = this.ready.then(() => (this.disposed ? undefined : this.setup.install(settings().registerPlugin))).catch(failed);
  }

  private configured(): void {
    this.restart();
    this.setup.report();
  }

  private restart(): void {
    if (this.disposed) return;
    const s = settings();
    const file = find({ setting: s.program, carried: this.setup.bin, PATH: process.env['PATH'] ?? '', windows: process.platform === 'win32' });
    if (file === undefined || file !== this.current?.path) {
      this.current = file === undefined ? undefined : program(file, process.env);
      this.follow(s.program === '' ? 'the program is found neither in the extension nor on the PATH' : `the setting cursorRalph.program is ${s.program}, and that is no program`);
    }
    void vscode.commands.executeCommand('setContext', 'cursorRalph.ready', file !== undefined);
    void this.listen(s.delivery);
    this.draw();
  }

  // follow asks for the loops anew: of this window's folders, and those that ended lately or ever.
  private follow(missing?: string): void {
    this.client?.dispose();
    const more = [...(this.all ? ['--ended', '100000h'] : []), ...folders().flatMap((f) => ['--folder', f])];
    this.client = this.current && new Client(this.current.stream, more, { changed: (c, news) => this.changed(c, news), trouble: (t) => this.troubled(t) });
    this.troubled(this.client ? undefined : missing);
    this.client?.start();
  }

  private changed(changes: readonly Change[], news: boolean): void {
    this.draw();
    for (const c of changes) if (!c.after && c.before) this.histories.delete(c.before.id);
    for (const { after } of changes) {
      for (const at of [after?.started_at, after?.message_at]) if (after?.conversation_id && at) this.delivery.sent(after.conversation_id, Date.parse(at));
    }
    this.reports.changed(changes.flatMap((c) => (c.after ? [c.after.id] : [])));
    for (const change of news ? changes : []) {
      const n = change.after && isHere(change.after) ? noticeOf(change, settings().notices) : undefined;
      if (n) void this.notify(n);
    }
  }

  private async notify(n: Notice): Promise<void> {
    const show = n.severity === 'warning' ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    const [first] = n.loop.actions;
    const report = vscode.l10n.t('Show Report');
    const chosen = await show(n.text, ...(first ? [first.title] : []), report);
    if (chosen === report) this.reports.open(n.loop);
    else if (first && chosen === first.title) await this.actions.act(n.loop, first.name);
  }

  private troubled(reason: string | undefined): void {
    if (reason !== undefined && reason !== this.trouble) this.output.appendLine(`cursor-ralph events: ${reason}`);
    this.trouble = reason;
    this.draw();
  }

  private draw(): void {
    this.tree.draw(this.trouble);
    if (settings().statusBar) this.statusBar.show(this.client?.loops ?? [], this.trouble);
    else this.statusBar.hide();
  }

  private async page(id: string): Promise<string> {
    const out = await this.current?.run(['report', id, '--html']);
    return out?.code === 0 ? out.stdout : `<main><p>${(out?.what ?? '').replace(/[&<]/g, '')}</p></main>`;
  }

  // history asks for a loop's iterations, unless none has been added since.
  private history(l: Loop): Promise<Iteration[]> {
    const version = `${l.iterations} ${l.status}`;
    const known = this.histories.get(l.id);
    if (known?.version === version) return known.list;
    const list = this.readHistory(l);
    this.histories.set(l.id, { version, list });
    return list;
  }

  private async readHistory(l: Loop): Promise<Iteration[]> {
    const out = await this.current?.run(['history', l.id, '--json']);
    return out?.code === 0 ? (JSON.parse(out.stdout) as Iteration[]) : [];
  }

  // listen announces this window to the injector `extension`, or stops that.
  private async listen(wanted: boolean): Promise<void> {
    if (!wanted || !this.current || !vscode.workspace.isTrusted) return this.silence();
    if (this.rendezvous) return;
    const out = await this.current.run(['rendezvous']);
    if (this.rendezvous || this.disposed || !settings().delivery) return; // the settings changed twice: a window is announced once
    const folder = out.stdout.trim();
    if (out.code !== 0 || !path.isAbsolute(folder)) return this.output.appendLine(`rendezvous: ${out.what || 'no folder'}`);
    const window = { editor: vscode.env.appName, folders, focused: () => vscode.window.state.focused, ask: askToSubmit };
    const r = new Rendezvous({ folder, window, delivery: this.delivery, log: (text) => this.output.appendLine(text) });
    this.rendezvous = r;
    await r.open().catch((error: unknown) => {
      this.output.appendLine(`rendezvous: ${reasonOf(error)}`);
      if (this.rendezvous === r) this.silence(); // and the next change of the settings tries again
    });
  }

  private silence(): void {
    this.rendezvous?.close();
    this.rendezvous = undefined;
  }

  dispose(): void {
    this.disposed = true;
    this.client?.dispose();
    this.silence();
    for (const part of this.parts.splice(0)) part.dispose();
  }
}

const memory = 'cursorRalph.left';

function memoryOf(state: vscode.Memento): Memory {
  return { get: () => state.get(memory, []), set: (value) => void state.update(memory, value) };
}

function askToSubmit(over: Promise<void>, unsure: string | undefined): void {
  const title = unsure === undefined ? "Press Enter in the chat: the Ralph loop's line is in its input" : `Press Enter in the chat when its input holds this line alone: ${unsure}`;
  void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () => over);
}
