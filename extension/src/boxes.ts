// The boxes in which this extension asks its user something. While one is open, or was typed
// into a moment ago, the user is busy: a delivery would take the keys.
import * as vscode from 'vscode';

export class Boxes {
  private open = 0;
  private last = -Infinity; // when the user was seen at work in a box

  input(options: vscode.InputBoxOptions): Promise<string | undefined> {
    const { validateInput } = options;
    return this.during(() => vscode.window.showInputBox({ ...options, validateInput: (text) => (this.note(), validateInput?.(text)) }));
  }

  pick<T extends vscode.QuickPickItem>(items: readonly T[], options: vscode.QuickPickOptions): Promise<T | undefined> {
    return this.during(() => vscode.window.showQuickPick(items, options));
  }

  // idle is for how long no box has been open or used, in ms.
  idle(): number {
    return this.open > 0 ? 0 : performance.now() - this.last;
  }

  private note(): void {
    this.last = performance.now();
  }

  // during is for a box of any kind.
  async during<T>(ask: () => PromiseLike<T>): Promise<T> {
    this.open++;
    try {
      return await ask();
    } finally {
      this.open--;
      this.note();
    }
  }
}
