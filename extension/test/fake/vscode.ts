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
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const ProgressLocation = { Window: 10 };
export const Uri = { from: (parts: object) => parts, file: (fsPath: string) => ({ scheme: 'file', fsPath }) };

export const items: Record<string, unknown>[] = [];
export const window = {
  createStatusBarItem: (id: string): Record<string, unknown> => {
    const item: Record<string, unknown> = { id, shown: false };
    item['show'] = (): void => void (item['shown'] = true);
    item['hide'] = (): void => void (item['shown'] = false);
    item['dispose'] = (): void => undefined;
    items.push(item);
    return item;
  },
  showInputBox: answer('input'),
  showQuickPick: answer('pick'),
  showInformationMessage: answer('information'),
  showWarningMessage: answer('warning'),
  showErrorMessage: answer('error'),
  setStatusBarMessage: (...args: unknown[]): void => void asked.push({ kind: 'message', args }),
  withProgress: (_: unknown, work: () => unknown): unknown => work(),
};
export const clipboard = { text: '' };
export const env = { clipboard: { readText: () => Promise.resolve(clipboard.text), writeText: (t: string) => Promise.resolve(void (clipboard.text = t)) } };
export const workspace = {
  isTrusted: true,
  workspaceFolders: undefined,
  getConfiguration: () => ({ get: (name: string): unknown => configured.get(name) }),
};
export const commands = { executeCommand: answer('command') };
export const version = '1.105.1';
