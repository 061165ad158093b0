// Puts the rooms together. Each of them does without vscode where it can.
import * as vscode from 'vscode';
import path from 'node:path';
import { Actions } from './actions';
import { Checkpoints, scheme } from './checkpoint';
import { Client, type Change } from './client';
import { Cursor } from './cursor';
import { Delivery, type Memory } from './delivery';
import { EditorDesk } from './desk';
import { Details } from './detail/panel';
import { parseHistory, type Iteration } from './history';
import { here, type Loop } from './loops';
import { noticeOf, type Button, type Notice } from './notices';
import { find, program, type Program } from './program';
import { Rendezvous } from './rendezvous';
import { reasonOf } from './result';
import { folders, section, settings } from './settings';
import { Setup } from './setup';
import { start } from './start';
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
  private readonly output = vscode.window.createOutputChannel('Ralph Loop');
  private readonly cursor = new Cursor({
    getCommands: () => vscode.commands.getCommands(true),
    execute: (command, ...args) => vscode.commands.executeCommand(command, ...args),
    cursor: (vscode as unknown as { cursor?: unknown }).cursor,
    name: vscode.env.appName,
  });
  private readonly desk = new EditorDesk();
  private readonly delivery: Delivery; // the only one: all that touches a chat takes its turn
  private readonly statusBar = new StatusBar();
  private readonly actions: Actions;
  private readonly tree: LoopTree;
  private readonly details: Details;
  private readonly parts: vscode.Disposable[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private ready: Promise<void> = Promise.resolve();
  private disposed = false;
  private current: Program | undefined;
  private client: Client | undefined;
  private rendezvous: Rendezvous | undefined;
  private trouble: string | undefined;
  private readonly setup: Setup;
  private readonly histories = new Map<string, { version: string; list: Promise<Iteration[]> }>();

  constructor(context: vscode.ExtensionContext) {
    const uri = (l: Loop, file: string): vscode.Uri => vscode.Uri.file(path.resolve(l.workspace || '/', file));
    const history = (l: Loop): Promise<Iteration[]> => this.history(l);
    this.delivery = new Delivery(this.cursor, this.desk, memoryOf(context.workspaceState));
    this.tree = new LoopTree(() => this.loops(), history, uri);
    this.details = new Details(context.extensionUri, { find: (id) => this.client?.find(id), history, uri });
    this.actions = new Actions({ loops: () => this.loops(), folders, program: () => this.current, details: (l) => this.details.open(l), output: this.output }, this.cursor, this.delivery);
    this.setup = new Setup(context, this.cursor, this.actions, this.output);
    this.parts.push(this.setup, this.output, this.statusBar, this.details, this.desk);
    this.parts.push(vscode.window.registerTreeDataProvider('cursorRalph.loops', this.tree));
    this.parts.push(vscode.workspace.registerTextDocumentContentProvider(scheme, new Checkpoints(() => this.current)));
    this.commands();
    this.parts.push(vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration(section) && this.configured()));
    this.parts.push(vscode.workspace.onDidChangeWorkspaceFolders(() => this.draw()));
  }

  private commands(): void {
    const a = this.actions;
    const all: Record<string, (...args: never[]) => unknown> = {
      start: () => start(a, this.delivery),
      menu: a.menu,
      pause: a.pause,
      resume: a.resume,
      cancel: a.cancel,
      context: a.context,
      continueNow: a.continueNow,
      details: a.details,
      copyLine: a.copyLine,
      log: a.log,
      why: a.why,
      loopMode: a.loopMode,
      install: () => this.setup.installByProgram(),
      doctor: a.doctor,
      show: () => vscode.commands.executeCommand('cursorRalph.loops.focus'),
    };
    // After an update the programs are copied first: until then there is no program.
    const whenReady = (f: (...args: never[]) => unknown) => (...args: never[]): unknown => this.ready.then(() => f(...args));
    for (const [name, f] of Object.entries(all)) this.parts.push(vscode.commands.registerCommand(`${section}.${name}`, whenReady(f)));
  }

  begin(): void {
    const failed = (error: unknown): void => this.output.appendLine(reasonOf(error));
    this.ready = this.setup.begin().catch(failed).then(() => this.restart());
    this.ready.then(() => (this.disposed ? undefined : this.setup.install(settings().registerPlugin))).catch(failed);
  }

  private configured(): void {
    this.restart();
    this.setup.report();
  }

  private restart(): void {
    if (this.disposed) return;
    const s = settings();
    const file = find({ setting: s.program, carried: this.setup.bin, PATH: process.env['PATH'] ?? '', windows: process.platform === 'win32' });
    if (file !== this.current?.path) this.use(file);
    void this.listen(s.delivery);
    this.draw();
  }

  private use(file: string | undefined): void {
    this.client?.dispose();
    this.current = file === undefined ? undefined : program(file, process.env);
    this.client = this.current && new Client(this.current.stream, { changed: (c, news) => this.changed(c, news), trouble: (t) => this.troubled(t) });
    this.troubled(file === undefined ? 'the program is not found' : undefined);
    this.client?.start();
  }

  private loops(): Loop[] {
    return this.client?.loops ?? [];
  }

  private changed(changes: readonly Change[], news: boolean): void {
    this.draw();
    this.tree.refresh();
    for (const c of changes) if (!c.after && c.before) this.histories.delete(c.before.id);
    for (const { after } of changes) {
      for (const at of [after?.startedAt, after?.messageAt]) if (after?.conversation && at) this.delivery.sent(after.conversation, Date.parse(at));
    }
    this.details.changed(changes.flatMap((c) => (c.after ? [c.after.id] : [])));
    if (!news) return;
    for (const change of changes) {
      const n = change.after && here([change.after], folders()).length > 0 ? noticeOf(change, settings().notices) : undefined;
      if (n) this.later(n);
    }
  }

  private later(n: Notice): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      if (n.delay === 0 || this.client?.find(n.loop.id)?.status === n.loop.status) void this.notify(n);
    }, n.delay);
    this.timers.add(timer);
  }

  private async notify(n: Notice): Promise<void> {
    const show = n.severity === 'warning' ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    const chosen = (await show(n.text, ...n.buttons)) as Button | undefined;
    const a = this.actions;
    const act: Record<Button, (id: string) => unknown> = { 'Continue Now': a.continueNow, 'Show Why': a.why, 'Open Log': a.log, Details: a.details, Resume: a.resume, 'Copy Line': a.copyLine };
    if (chosen) await act[chosen](n.loop.id);
  }

  private troubled(reason: string | undefined): void {
    if (reason !== undefined && reason !== this.trouble) this.output.appendLine(`cursor-ralph events: ${reason}`);
    this.trouble = reason;
    this.draw();
  }

  private draw(): void {
    if (settings().statusBar) this.statusBar.show(here(this.loops(), folders()), this.current && this.loops().length === 0 ? this.trouble : undefined);
    else this.statusBar.hide();
  }

  // history asks for a loop's iterations, unless none has been added since.
  private history(l: Loop): Promise<Iteration[]> {
    const version = `${l.done} ${l.status}`;
    const known = this.histories.get(l.id);
    if (known?.version === version) return known.list;
    const list = this.readHistory(l);
    this.histories.set(l.id, { version, list });
    return list;
  }

  private async readHistory(l: Loop): Promise<Iteration[]> {
    const out = await this.current?.run(['history', l.id, '--json']);
    if (!out || out.code !== 0) return [];
    try {
      return parseHistory(JSON.parse(out.stdout));
    } catch {
      return [];
    }
  }

  // listen announces this window to the injector `extension`, or stops that.
  private async listen(wanted: boolean): Promise<void> {
    if (!wanted || !this.current) return this.silence();
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
    for (const timer of this.timers) clearTimeout(timer);
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
