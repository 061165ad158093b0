// The chip in the status bar: how the loops of this window stand.
import * as vscode from 'vscode';
import { byAge, isEnded, isHere, type Loop } from './loops';
import { head, label } from './text';

const { t } = vscode.l10n;
const endedFor = 3_600_000; // how long the chip shows a loop that has ended

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('cursorRalph.chip', vscode.StatusBarAlignment.Left, 50);
  private dismissed = '';

  constructor() {
    this.item.name = 'Cursor Ralph';
    this.item.command = 'cursorRalph.menu';
  }

  // dismiss hides a loop that has ended.
  dismiss(id: string): void {
    this.dismissed = id;
    this.item.hide();
  }

  // show draws the chip; without a loop or trouble it hides.
  show(all: readonly Loop[], trouble: string | undefined, now = Date.now()): void {
    const mine = all.filter(isHere).sort(byAge);
    const live = mine.filter((l) => !isEnded(l));
    const [last] = mine.filter((l) => l.ended_at !== undefined && now - Date.parse(l.ended_at) < endedFor).sort((a, b) => (b.ended_at ?? '').localeCompare(a.ended_at ?? ''));
    const needy = live.filter((l) => l.needs_user);
    const [only] = live;
    if (trouble !== undefined) this.draw(`$(warning) ${t('Loop • Trouble')}`, `cursor-ralph: ${head(trouble, 300)}`, true);
    else if (only && live.length === 1) this.draw(`$(${icon(only)}) ${label(only.chip)}`, only.item.tooltip, only.needs_user);
    else if (only) this.draw(`$(${icon(needy[0] ?? only)}) ${several(live.length, needy.length)}`, live.slice(0, 8).map((l) => l.item.tooltip).join('\n\n'), needy.length > 0);
    else if (last && last.id !== this.dismissed) this.draw(`$(${icon(last)}) ${label(last.chip)}`, last.item.tooltip, false);
    else this.item.hide();
  }

  private draw(text: string, hover: string, warns: boolean): void {
    this.item.text = text;
    this.item.tooltip = hover; // plain text: the task may be anything
    this.item.accessibilityInformation = { label: text.replace(/\$\([^)]*\) /, ''), role: 'button' };
    this.item.backgroundColor = warns ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.item.show();
  }

  hide(): void {
    this.item.hide();
  }

  dispose(): void {
    this.item.dispose();
  }
}

const several = (n: number, needy: number): string => (needy === 0 ? t('{0} loops', n) : needy === 1 ? t('{0} loops • 1 needs you', n) : t('{0} loops • {1} need you', n, needy));

export function icon(l: Loop): string {
  if (l.status === 'PROMISE_ACCEPTED') return 'pass';
  if (l.status === 'paused') return 'debug-pause';
  return { 'needs-you': 'bell', running: 'sync~spin', ended: 'circle-slash' }[l.item.group];
}
