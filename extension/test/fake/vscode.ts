// Stands for the editor in unit tests: just what they use, and a record of it.
export const asked: { kind: string; args: unknown[] }[] = [];
// What the user answers, in order.
export const answers: unknown[] = [];

const answer = (kind: string) => (...args: unknown[]): Promise<unknown> => {
  asked.push({ kind, args });
  const next = answers.shift();
  return Promise.resolve(typeof next === 'function' ? (next as (...a: unknown[]) => unknown)(...args) : next);
};

export function reset(...next: unknown[]): void {
  asked.length = 0;
  answers.splice(0, answers.length, ...next);
  configured.clear();
}

export const configured = new Map<string, unknown>();

// What listens or is registered, until it is disposed.
export const live = new Set<object>();

function registered(of: object): { dispose(): void } {
  live.add(of);
  return { dispose: () => void live.delete(of) };
}

// An event, and what fires it.
function event<T>(): { on: (f: (e: T) => unknown) => { dispose(): void }; fire: (e: T) => void } {
  const all = new Set<(e: T) => unknown>();
  const on = (f: (e: T) => unknown): { dispose(): void } => {
    all.add(f);
    const r = registered(f);
    return { dispose: () => (all.delete(f), r.dispose()) };
  };
  return { on, fire: (e) => all.forEach((f) => f(e)) };
}

export const events = { selection: event<{ kind: number | undefined }>(), document: event<unknown>(), terminal: event<unknown>(), other: event<unknown>() };
export const TextEditorSelectionChangeKind = { Keyboard: 1, Mouse: 2, Command: 3 };
export const output: string[] = [];
export const registeredCommands = new Map<string, (...args: unknown[]) => unknown>();

export class ThemeColor {
  constructor(readonly id: string) {}
}
export class ThemeIcon {
  constructor(
    readonly id: string,
    readonly color?: ThemeColor,
  ) {}
}
export class TreeItem {
  constructor(
    readonly label: unknown,
    readonly collapsibleState: number,
  ) {}
}
export class EventEmitter {
  readonly event = (): { dispose(): void } => ({ dispose: () => undefined });
  fire(): void {}
}
export class Range {
  constructor(readonly a: unknown, readonly b: unknown) {}
}
export class CodeLens {
  constructor(readonly range: unknown, readonly command: unknown) {}
}
export class ProcessExecution {
  constructor(readonly process: string, readonly args: string[], readonly options: unknown) {}
}
export class Task {
  constructor(readonly definition: unknown, readonly scope: unknown, readonly name: string, readonly source: string, readonly execution: ProcessExecution) {}
}
export const TaskScope = { Workspace: 2 };
export const ran: Task[] = [];
export const tasks = { executeTask: (t: Task): Promise<void> => Promise.resolve(void ran.push(t)) };
export const l10n = { t: (text: string, ...args: unknown[]): string => text.replace(/\{(\d)\}/g, (_, i) => String(args[i])) };
export const languages = { registerCodeLensProvider: () => registered({}) };

// A document that a test writes.
export class Document {
  readonly fileName = 'main.go';
  readonly uri: { toString(): string };
  constructor(public text: string, name = 'untitled:Untitled-1') {
    this.uri = { toString: () => name };
  }
  getText = (): string => this.text;
  positionAt = (n: number): number => n;
}
// A page, and what it was sent.
export const panels: { type: string; title: string; html: string; sent: unknown[]; send(m: unknown): void; visible: boolean }[] = [];
export const treeViews: { badge?: { value: number }; message?: string }[] = [];
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const ProgressLocation = { Window: 10, Notification: 15 };
export const Uri = { from: (parts: object) => parts, joinPath: (...parts: unknown[]) => parts, file: (fsPath: string) => ({ scheme: 'file', fsPath }) };

export const items: Record<string, unknown>[] = [];
export const window = {
  state: { focused: true },
  createOutputChannel: () => ({ appendLine: (t: string) => output.push(t), show: () => undefined, ...registered({}) }),
  createTreeView: () => {
    const view: { badge?: { value: number }; message?: string; dispose(): void } = { ...registered({}) };
    treeViews.push(view);
    return view;
  },
  registerWebviewPanelSerializer: () => registered({}),
  createWebviewPanel: (type: string, title: string) => {
    let listener: (m: unknown) => void = () => undefined;
    const page = { type, title, html: '', sent: [] as unknown[], visible: true, send: (m: unknown) => listener(m) };
    panels.push(page);
    const webview = { set html(h: string) { page.html = h; }, postMessage: (m: unknown) => Promise.resolve(void page.sent.push(m)), onDidReceiveMessage: (f: typeof listener) => void (listener = f) };
    return { webview, visible: true, onDidDispose: () => undefined, onDidChangeViewState: () => undefined, reveal: () => void asked.push({ kind: 'reveal', args: [] }), dispose: () => undefined,
      get title() { return page.title; }, set title(t: string) { page.title = t; } };
  },
  activeTextEditor: undefined as { document: Document } | undefined,
  showTextDocument: (document: Document) => Promise.resolve(void (window.activeTextEditor = { document })),
  onDidChangeTextEditorSelection: events.selection.on,
  onDidChangeTerminalState: events.terminal.on,
  onDidChangeActiveTerminal: events.other.on,
  createStatusBarItem: (id: string): Record<string, unknown> => {
    const item: Record<string, unknown> = { id, shown: false };
    item['show'] = (): void => void (item['shown'] = true);
    item['hide'] = (): void => void (item['shown'] = false);
    item['dispose'] = registered(item).dispose;
    items.push(item);
    return item;
  },
  showInputBox: answer('input'),
  showQuickPick: answer('pick'),
  showInformationMessage: answer('information'),
  showWarningMessage: answer('warning'),
  showErrorMessage: answer('error'),
  setStatusBarMessage: (...args: unknown[]): void => void asked.push({ kind: 'message', args }),
  withProgress: (_: unknown, work: (...a: unknown[]) => unknown): unknown => work({}, { onCancellationRequested: () => undefined }),
};
export const clipboard = { text: '' };
export const env = { appName: 'Code', appRoot: '/', clipboard: { readText: () => Promise.resolve(clipboard.text), writeText: (t: string) => Promise.resolve(void (clipboard.text = t)) } };
export const workspace = {
  isTrusted: true,
  workspaceFolders: undefined,
  getConfiguration: () => ({ get: (name: string): unknown => configured.get(name), inspect: () => undefined }),
  onDidChangeTextDocument: events.document.on,
  onDidCloseTextDocument: events.other.on,
  openTextDocument: ({ content }: { content: string }) => Promise.resolve(new Document(content)),
  onDidChangeConfiguration: events.other.on,
  onDidChangeWorkspaceFolders: events.other.on,
  onDidGrantWorkspaceTrust: events.other.on,
  registerTextDocumentContentProvider: () => registered({}),
};
export const commands = {
  executeCommand: (id: string, ...args: unknown[]): Promise<unknown> => (id === 'setContext' ? Promise.resolve() : answer('command')(id, ...args)),
  getCommands: async (): Promise<string[]> => [],
  registerCommand: (id: string, f: (...args: unknown[]) => unknown) => (registeredCommands.set(id, f), registered(f)),
};
export const ViewColumn = { Active: -1 };
export const cursor = undefined;
export const version = '1.105.1';
