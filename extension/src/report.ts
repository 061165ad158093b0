// A loop's report: the page of `cursor-ralph report --html`, one panel a loop.
import * as vscode from 'vscode';
import { opening } from './checkpoint';
import { validId, type Iteration, type Loop } from './loops';
import { label } from './text';

export interface Source {
  find(id: string): Loop | undefined;
  page(id: string): Promise<string>;
  history(l: Loop): Promise<Iteration[]>;
  uri(l: Loop, file: string): vscode.Uri;
  act(l: Loop, name: string): unknown;
}

const type = 'cursorRalph.report';

export class Reports implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();
  private readonly serializer = vscode.window.registerWebviewPanelSerializer(type, this);

  constructor(
    private readonly source: Source,
    private readonly media: vscode.Uri,
  ) {}

  open(l: Loop): void {
    const there = this.panels.get(l.id);
    if (there) return there.reveal();
    this.fill(l.id, vscode.window.createWebviewPanel(type, label(l.item.title), vscode.ViewColumn.Active, { enableScripts: true, localResourceRoots: [] }));
  }

  // The editor calls it after a reload. The page itself remembers what was open in it.
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const id = (state as { id?: unknown } | undefined)?.id;
    if (!validId(id) || this.panels.has(id)) return panel.dispose();
    panel.webview.options = { enableScripts: true, localResourceRoots: [] };
    this.fill(id, panel);
  }

  private fill(id: string, panel: vscode.WebviewPanel): void {
    this.panels.set(id, panel);
    panel.iconPath = { light: vscode.Uri.joinPath(this.media, 'loop-light.svg'), dark: vscode.Uri.joinPath(this.media, 'loop-dark.svg') };
    panel.onDidDispose(() => this.panels.delete(id));
    panel.onDidChangeViewState(() => panel.visible && void this.refresh(id));
    panel.webview.onDidReceiveMessage((m: unknown) => this.message(id, m));
    void this.source.page(id).then((html) => (panel.webview.html = html));
  }

  // changed redraws the pages of loops that have changed.
  changed(ids: readonly string[]): void {
    for (const id of ids) if (this.panels.get(id)?.visible) void this.refresh(id);
  }

  private async refresh(id: string): Promise<void> {
    const html = await this.source.page(id);
    const panel = this.panels.get(id);
    const l = this.source.find(id);
    if (panel && l) panel.title = label(l.item.title);
    await panel?.webview.postMessage({ html });
  }

  private message(id: string, m: unknown): void {
    const { ready, act, file, iteration } = (typeof m === 'object' && m !== null ? m : {}) as Record<string, unknown>;
    const l = this.source.find(id);
    if (ready === true) void this.refresh(id);
    if (l && typeof act === 'string') void this.source.act(l, act);
    if (l && typeof file === 'string') void this.openFile(l, file, iteration);
  }

  // openFile opens a file that the iteration has changed, and no other.
  private async openFile(l: Loop, file: string, iteration: unknown): Promise<void> {
    const it = (await this.source.history(l)).find((i) => i.iteration === iteration && i.files?.includes(file));
    if (!it) return;
    const open = opening(l, it, file, this.source.uri(l, file));
    await vscode.commands.executeCommand(open.command, ...(open.arguments ?? []));
  }

  dispose(): void {
    this.serializer.dispose();
    for (const panel of this.panels.values()) panel.dispose();
  }
}
