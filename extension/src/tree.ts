// The view: groups of loops, below each loop its iterations, below these the files.
import * as vscode from 'vscode';
import { byAge, isHere, type Iteration, type Loop } from './loops';
import { opening } from './checkpoint';
import { icon } from './statusbar';
import { label, plain } from './text';

const { t } = vscode.l10n;

type Group = Loop['item']['group'] | 'elsewhere';
export type Node = { group: Group } | { loop: Loop } | { of: Loop; iteration: Iteration } | { of: Loop; in: Iteration; file: string } | { older: true };

const groups = (): [Group, string][] => [
  ['needs-you', t('Needs you')],
  ['running', t('Running')],
  ['ended', t('Ended')],
  ['elsewhere', t('In other folders')],
];
const groupOf = (l: Loop): Group => (isHere(l) ? l.item.group : 'elsewhere');
const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

export interface Source {
  loops(): Loop[];
  all(): boolean; // loops has those too that ended long ago
  history(l: Loop): Promise<Iteration[]>;
  uri(l: Loop, file: string): vscode.Uri;
}

export class LoopTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private readonly view: Omit<vscode.TreeView<Node>, 'message'> & { message?: string | undefined };

  constructor(private readonly source: Source) {
    this.view = vscode.window.createTreeView<Node>('cursorRalph.loops', { treeDataProvider: this, showCollapseAll: true });
  }

  // draw shows the loops as they are, how many need the user, and what is wrong.
  draw(trouble: string | undefined): void {
    const needy = this.of('needs-you').length;
    this.view.badge = needy === 0 ? undefined : { value: needy, tooltip: needy === 1 ? t('1 loop needs you') : t('{0} loops need you', needy) };
    this.view.message = trouble === undefined ? undefined : t('No news of loops: {0}', plain(trouble));
    this.emitter.fire(undefined);
  }

  dispose(): void {
    this.view.dispose();
  }

  private of(group: Group): Loop[] {
    return this.source.loops().filter((l) => groupOf(l) === group).sort(byAge);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if ('group' in node) return this.groupItem(node.group);
    if ('older' in node) return olderItem();
    if ('loop' in node) return loopItem(node.loop);
    if ('iteration' in node) return iterationItem(node.of, node.iteration);
    const item = new vscode.TreeItem(this.source.uri(node.of, node.file), None);
    item.label = label(node.file, 200);
    item.command = opening(node.of, node.in, node.file, this.source.uri(node.of, node.file));
    return item;
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (!node) return this.roots();
    if ('group' in node) {
      const older: Node[] = node.group === 'ended' && !this.source.all() ? [{ older: true }] : [];
      return [...this.of(node.group).map((loop) => ({ loop })), ...older];
    }
    if ('loop' in node) return (await this.source.history(node.loop)).map((iteration) => ({ of: node.loop, iteration })).reverse();
    return 'iteration' in node ? (node.iteration.files ?? []).map((file) => ({ of: node.of, in: node.iteration, file })) : [];
  }

  // Without any loop the view has its welcome.
  private roots(): Node[] {
    if (this.source.loops().length === 0) return [];
    return groups().filter(([group]) => group === 'ended' || this.of(group).length > 0).map(([group]) => ({ group }));
  }

  private groupItem(group: Group): vscode.TreeItem {
    const item = new vscode.TreeItem(groups().find(([g]) => g === group)?.[1] ?? group, group === 'elsewhere' ? Collapsed : Expanded);
    item.id = `group:${group}`;
    item.description = String(this.of(group).length);
    item.contextValue = 'group';
    return item;
  }
}

function olderItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Show older ones…'), None);
  item.id = 'older';
  item.command = { command: 'cursorRalph.older', title: t('Show older ones…') };
  return item;
}

// contextOf says which commands suit a loop, for the menus of package.json.
export const contextOf = (l: Loop): string => ['loop', ...l.actions.map((a) => a.name), ...(l.chat_line ? ['line'] : []), ...(l.kind === 'chat' && l.conversation_id ? ['chat'] : [])].join(' ');

function loopItem(l: Loop): vscode.TreeItem {
  const item = new vscode.TreeItem(label(l.item.label), Collapsed);
  const color = l.needs_user ? 'list.warningForeground' : l.status === 'PROMISE_ACCEPTED' ? 'testing.iconPassed' : undefined;
  item.id = `loop:${l.id}`;
  item.description = l.item.description;
  item.iconPath = new vscode.ThemeIcon(icon(l).replace('~spin', ''), color ? new vscode.ThemeColor(color) : undefined);
  item.contextValue = contextOf(l);
  item.tooltip = l.item.tooltip;
  item.command = { command: 'cursorRalph.details', title: t('Show Report'), arguments: [l.id] };
  return item;
}

const iterationIcons: Record<string, string> = { accepted: 'pass', refused: 'error' };

function iterationItem(l: Loop, it: Iteration): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Iteration {0}', it.iteration), it.files ? Collapsed : None);
  item.id = `iteration:${l.id}:${it.iteration}`;
  item.description = label(it.words, 200);
  item.iconPath = new vscode.ThemeIcon(iterationIcons[it.promise ?? ''] ?? 'circle-outline');
  item.contextValue = 'iteration';
  item.tooltip = it.words;
  return item;
}
