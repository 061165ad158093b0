// The editor as a delivery needs it: its clipboard, whether the focus went astray, and
// whether its user is at work. What is typed into a terminal or a chat cannot be seen.
import * as vscode from 'vscode';
import path from 'node:path';
import type { Boxes } from './boxes';
import type { Desk } from './delivery';
import { notice } from './text';

export class EditorDesk implements Desk, vscode.Disposable {
  private active = -Infinity; // when the user was seen at work
  private readonly seen = [
    vscode.window.onDidChangeTextEditorSelection((e) => isUsers(e.kind) && this.note()),
    vscode.workspace.onDidChangeTextDocument((e) => e.document.uri.scheme === 'vscode-scm' && this.note()), // which has no selection
    vscode.window.onDidChangeTerminalState(() => this.note()), // the first key in it
  ];

  readClipboard = (): PromiseLike<string> => vscode.env.clipboard.readText();
  writeClipboard = (text: string): PromiseLike<void> => vscode.env.clipboard.writeText(text);
  canLeave = (): boolean => vscode.workspace.getConfiguration('workbench').get<boolean>('statusBar.visible') !== false;
  sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  idle = (): number => Math.min(performance.now() - this.active, this.boxes.idle());
  asked = (): number => this.boxes.idle();

  constructor(private readonly boxes: Boxes) {}

  watch(line: string): { strayed(): string | undefined; dispose(): void } {
    let strayed: string | undefined;
    const note = (why: string): string => (strayed ??= why);
    const into = (document: vscode.TextDocument): void => {
      note('the line went into a document');
      const name = notice(path.basename(document.fileName), 60);
      void vscode.window.showWarningMessage(vscode.l10n.t("A loop's line went into {0} instead of its chat, since the focus had moved. Undo takes it out.", name));
    };
    const watched = [
      vscode.workspace.onDidChangeTextDocument((e) => e.contentChanges.some((c) => c.text.includes(line)) && !strayed && into(e.document)),
      vscode.window.onDidChangeTextEditorSelection((e) => e.kind !== undefined && note('the focus went into a text editor')),
      vscode.window.onDidChangeActiveTerminal((t) => t && note('the focus went into a terminal')),
    ];
    return { strayed: () => strayed, dispose: () => watched.forEach((w) => w.dispose()) };
  }

  private note(): void {
    this.active = performance.now();
  }

  dispose(): void {
    for (const s of this.seen) s.dispose();
  }
}

const isUsers = (kind: vscode.TextEditorSelectionChangeKind | undefined): boolean =>
  kind === vscode.TextEditorSelectionChangeKind.Keyboard || kind === vscode.TextEditorSelectionChangeKind.Mouse;
