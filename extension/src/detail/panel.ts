// The detail page: one panel a loop.
import * as vscode from 'vscode';
import { randomBytes } from 'node:crypto';
import { html } from './html';
import { model, type FromPage } from './model';
import { opening } from '../checkpoint';
import type { Iteration } from '../history';
import type { Loop } from '../loops';

export interface Source {
  find(id: string): Loop | undefined;
  history(l: Loop): Promise<Iteration[]>;
  uri(l: Loop, file: string): vscode.Uri;
}

export class Details implements vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();
  private readonly latest = new Map<string, Loop>();

  constructor(
    private readonly extension: vscode.Uri,
    private readonly source: Source,
  ) {}

  open(l: Loop): void {
    this.latest.set(l.id, l);
    const there = this.panels.get(l.id);
    if (there) return there.reveal();
    const dist = vscode.Uri.joinPath(this.extension, 'dist');
    const panel = vscode.window.createWebviewPanel('cursorRalph.details', `Loop ${l.id}`, vscode.ViewColumn.Active, { enableScripts: true, localResourceRoots: [dist] });
    this.panels.set(l.id, panel);
    panel.iconPath = { light: this.media('loop-light.svg'), dark: this.media('loop-dark.svg') };
    panel.onDidDispose(() => this.closed(l.id));
    panel.webview.onDidReceiveMessage((m: FromPage) => this.message(l.id, m));
    panel.onDidChangeViewState(() => panel.visible && void this.refresh(l.id));
    const script = panel.webview.asWebviewUri(vscode.Uri.joinPath(dist, 'detail.js')).toString();
    panel.webview.html = html({ nonce: randomBytes(16).toString('hex'), script });
  }

  private media(name: string): vscode.Uri {
    return vscode.Uri.joinPath(this.extension, 'media', name);
  }

  // changed redraws the pages of loops that have changed.
  changed(ids: readonly string[]): void {
    for (const id of ids) if (this.panels.get(id)?.visible) void this.refresh(id);
  }

  private async refresh(id: string): Promise<void> {
    const l = this.source.find(id) ?? this.latest.get(id);
    if (!l) return;
    this.latest.set(id, l);
    const history = await this.source.history(l);
    await this.panels.get(id)?.webview.postMessage({ type: 'show', model: model(l, history) });
  }

  private message(id: string, m: FromPage): void {
    if (m.type === 'ready') void this.refresh(id);
    if (m.type === 'act' && /^cursorRalph\.[a-zA-Z]+$/.test(m.command)) void vscode.commands.executeCommand(m.command, id);
    if (m.type === 'open') void this.openFile(id, m.file, m.iteration);
  }

  // openFile opens a file that the iteration has changed, and no other.
  private async openFile(id: string, file: string, iteration: number): Promise<void> {
    const l = this.latest.get(id);
    const it = l && (await this.source.history(l)).find((i) => i.number === iteration && i.files.includes(file));
    if (!l || !it) return;
    const open = opening(l, it, file, this.source.uri(l, file));
    await vscode.commands.executeCommand(open.command, ...(open.arguments ?? []));
  }

  private closed(id: string): void {
    this.panels.delete(id);
    this.latest.delete(id);
  }

  dispose(): void {
    for (const panel of this.panels.values()) panel.dispose();
  }
}
