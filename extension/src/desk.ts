// The editor as a delivery needs it: its clipboard, and whether the focus went astray.
import * as vscode from 'vscode';
import type { Desk } from './delivery';

export const desk: Desk = {
  readClipboard: () => vscode.env.clipboard.readText(),
  writeClipboard: (text) => vscode.env.clipboard.writeText(text),
  canLeave: () => vscode.workspace.getConfiguration('workbench').get<boolean>('statusBar.visible') !== false,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  watch: (line) => {
    let strayed: string | undefined;
    const note = (why: string): string => (strayed ??= why);
    const watched = [
      vscode.workspace.onDidChangeTextDocument((e) => e.contentChanges.some((c) => c.text.includes(line)) && note('the line went into a document')),
      vscode.window.onDidChangeTextEditorSelection((e) => e.kind !== undefined && note('the focus went into a text editor')),
      vscode.window.onDidChangeActiveTerminal((t) => t && note('the focus went into a terminal')),
    ];
    return { strayed: () => strayed, dispose: () => watched.forEach((w) => w.dispose()) };
  },
};
