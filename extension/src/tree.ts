// The view "Ralph loops": loops, below each its iterations, below these the files.
import * as vscode from 'vscode';
import { outcome, reviewWords, type Iteration } from './history';
import { byUrgency, isContinuable, isEnded, isLive, isPausable, isResumable, iterationWords, statusWords, type Loop } from './loops';
import { opening } from './checkpoint';
import { head, label } from './text';
import { taskWords } from './tokens';

export type Node = { loop: Loop } | { of: Loop; iteration: Iteration } | { of: Loop; in: Iteration; file: string };

const icons: Record<string, [icon: string, color?: string]> = {
  running: ['sync'],
  pending: ['clock'],
  waiting: ['bell', 'list.warningForeground'],
  stalled: ['warning', 'list.warningForeground'],
  interrupted: ['warning', 'list.warningForeground'],
  paused: ['debug-pause'],
  PROMISE_ACCEPTED: ['pass', 'testing.iconPassed'],
};

// contextOf says which commands suit a loop, for the menus of package.json.
export function contextOf(l: Loop): string {
  const is: [boolean, string][] = [
    [isLive(l), 'live'],
    [isPausable(l), 'pausable'],
    [isResumable(l), 'resumable'],
    [isContinuable(l), 'continuable'],
  ];
  return ['loop', ...is.filter(([yes]) => yes).map(([, word]) => word)].join(' ');
}

export class LoopTree implements vscode.TreeDataProvider<Node> {
  private readonly emitter = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.emitter.event;

  constructor(
    private readonly loops: () => Loop[],
    private readonly history: (l: Loop) => Promise<Iteration[]>,
    private readonly folder: (l: Loop, file: string) => vscode.Uri,
  ) {}

  refresh(): void {
    this.emitter.fire(undefined);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if ('loop' in node) return this.loopItem(node.loop);
    if ('iteration' in node) return iterationItem(node.of, node.iteration);
    return this.fileItem(node.of, node.in, node.file);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (!node) return this.loops().sort(byUrgency).map((loop) => ({ loop }));
    if ('loop' in node) {
      const all = await this.history(node.loop);
      return [...all].reverse().map((iteration) => ({ of: node.loop, iteration }));
    }
    return 'iteration' in node ? node.iteration.files.map((file) => ({ of: node.of, in: node.iteration, file })) : [];
  }

  private loopItem(l: Loop): vscode.TreeItem {
    const item = new vscode.TreeItem(label(l.prompt, 60) || l.id, vscode.TreeItemCollapsibleState.Collapsed);
    const [icon, color] = icons[l.status] ?? ['circle-slash'];
    item.id = `loop:${l.id}`;
    item.description = `${l.id} • ${statusWords(l)} • ${iterationWords(l)}`;
    item.iconPath = new vscode.ThemeIcon(icon, color ? new vscode.ThemeColor(color) : undefined);
    item.contextValue = contextOf(l);
    item.tooltip = [`${l.id}: ${statusWords(l)}`, head(l.prompt, 300), l.workspace].join('\n');
    item.accessibilityInformation = { label: `Loop ${l.id}, ${statusWords(l)}, iteration ${iterationWords(l)}, ${head(l.prompt, 100)}` };
    if (taskWords(l.tasks) !== '') item.description += ` • tasks ${taskWords(l.tasks)}`;
    if (isEnded(l)) item.description += l.endedAt ? ` • ${l.endedAt.slice(0, 10)}` : '';
    return item;
  }

  private fileItem(l: Loop, it: Iteration, file: string): vscode.TreeItem {
    const item = new vscode.TreeItem(this.folder(l, file), vscode.TreeItemCollapsibleState.None);
    item.label = label(file, 200);
    item.command = opening(l, it, file, this.folder(l, file));
    return item;
  }
}

const iterationIcons: Record<string, string> = { accepted: 'pass', refused: 'error' };

function iterationItem(l: Loop, it: Iteration): vscode.TreeItem {
  const state = it.files.length > 0 ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None;
  const item = new vscode.TreeItem(`Iteration ${it.number}`, state);
  item.id = `iteration:${l.id}:${it.number}`;
  item.description = label(outcome(it), 160);
  item.iconPath = new vscode.ThemeIcon(iterationIcons[it.promise] ?? 'circle-outline');
  item.contextValue = 'iteration';
  const more = [it.verification, it.review && reviewWords(it.review), it.struggle, it.answer, ...it.errors].filter((t): t is string => t !== undefined);
  item.tooltip = [`Iteration ${it.number}: ${outcome(it)}`, ...more.map((t) => head(t, 300))].join('\n');
  return item;
}
