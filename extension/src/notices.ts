// Which change of a loop deserves a notice, and its words. Pure.
import { l10n } from 'vscode';
import { isEnded, type Loop } from './loops';
import { notice } from './text';
import type { Change } from './client';

export type Level = 'all' | 'attention' | 'none';

export interface Notice {
  severity: 'information' | 'warning';
  text: string;
  loop: Loop;
}

const byUser = ['CANCELLED', 'REPLACED', 'USER_STOPPED'];

// noticeOf is about a loop that has come to need its user, or has ended. What the user
// does needs none, nor does a record that turns up. It says when it was so: a notice stays while the loop goes on.
export function noticeOf({ before, after }: Change, level: Level, now = new Date()): Notice | undefined {
  if (!after || level === 'none') return undefined;
  const at = now.toTimeString().slice(0, 5);
  const said = (severity: Notice['severity'], what: string): Notice => ({ severity, loop: after, text: notice(`${what}: ${after.item.title} (${after.id}, ${at}: ${after.item.description})`) });
  if (after.needs_user && !before?.needs_user && after.status !== 'pending') return said('warning', l10n.t('A Ralph loop needs you'));
  if (!before || isEnded(before) || !isEnded(after) || level !== 'all' || byUser.includes(after.status)) return undefined;
  return said(after.status === 'PROMISE_ACCEPTED' ? 'information' : 'warning', l10n.t('A Ralph loop has ended'));
}
