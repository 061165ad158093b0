// The chip in the status bar.
import * as vscode from 'vscode';
import { chip, isEnded, iterationWords, shown, statusWords, type Loop } from './loops';
import { duration, head, label } from './text';
import { taskWords, tokenWords } from './tokens';

const icons: Record<string, string> = {
  running: '$(sync~spin)',
  pending: '$(clock)',
  waiting: '$(bell)',
  stalled: '$(warning)',
  interrupted: '$(warning)',
  paused: '$(debug-pause)',
  PROMISE_ACCEPTED: '$(check)',
};

const background = (l: Loop): string | undefined => {
  if (['waiting', 'stalled', 'interrupted'].includes(l.status)) return 'statusBarItem.warningBackground';
  return isEnded(l) && !['PROMISE_ACCEPTED', 'CANCELLED', 'USER_STOPPED', 'REPLACED'].includes(l.status) ? 'statusBarItem.errorBackground' : undefined;
};

// tooltip is plain text: the task may be anything.
export function tooltip(loops: readonly Loop[], now: Date): string {
  return loops.slice(0, 8).map((l) => about(l, now)).join('\n\n');
}

function about(l: Loop, now: Date): string {
  const lines = [`Loop ${l.id}: ${statusWords(l)}, iteration ${iterationWords(l)}`, head(l.prompt, 160)];
  if (l.reason) lines.push(head(l.reason, 160));
  const since = l.lastEventAt ? (now.getTime() - Date.parse(l.lastEventAt)) / 1000 : NaN;
  if (Number.isFinite(since)) lines.push(`last event ${duration(since)} ago`);
  if (taskWords(l.tasks) !== '') lines.push(`tasks: ${taskWords(l.tasks)}${l.tasks?.next ? `, next: ${head(l.tasks.next, 120)}` : ''}`);
  lines.push(`tokens: ${tokenWords(l.tokens, l.tokensUnknownTurns, l.maxTokens, l.reviewTokens)}`);
  return lines.filter((line) => line !== '').join('\n');
}

export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;

  constructor() {
    this.item = vscode.window.createStatusBarItem('cursorRalph.chip', vscode.StatusBarAlignment.Left, 50);
    this.item.name = 'Ralph Loop';
    this.item.command = 'cursorRalph.menu';
  }

  // show draws the chip of some loops; none hide it. Trouble is why nothing is known.
  show(loops: readonly Loop[], trouble: string | undefined, now = new Date()): void {
    const current = shown(loops, now);
    const [first] = current;
    if (trouble !== undefined) this.draw(`$(warning) Loop • Unknown`, `cursor-ralph: ${head(trouble, 300)}`, 'statusBarItem.warningBackground');
    else if (first) this.draw(`${icons[first.status] ?? '$(circle-slash)'} ${label(chip(current))}`, tooltip(current, now), background(first));
    else this.item.hide();
  }

  private draw(text: string, hover: string, color: string | undefined): void {
    this.item.text = text;
    this.item.tooltip = hover;
    this.item.accessibilityInformation = { label: text.replace(/\$\([^)]*\) /, ''), role: 'button' };
    this.item.backgroundColor = color ? new vscode.ThemeColor(color) : undefined;
    this.item.show();
  }

  hide(): void {
    this.item.hide();
  }

  dispose(): void {
    this.item.dispose();
  }
}
