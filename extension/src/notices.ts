// Which change of a loop deserves a notice, and its words. Pure.
import { isEnded, iterationWords, statusWords, type Loop } from './loops';
import { notice } from './text';
import type { Change } from './client';

export type Button = 'Continue Now' | 'Show Why' | 'Open Log' | 'Details' | 'Resume' | 'Copy Line';
export type Level = 'all' | 'attention' | 'none';

export interface Notice {
  severity: 'information' | 'warning';
  text: string;
  buttons: Button[];
  loop: Loop;
  // After this many milliseconds, if the loop still stands so: a continuation is
  // usually delivered without the user.
  delay: number;
}

const delivery = 30_000;

const attention: Record<string, Button[]> = {
  waiting: ['Continue Now', 'Copy Line', 'Show Why'],
  stalled: ['Continue Now', 'Show Why', 'Open Log'],
  paused: ['Resume', 'Show Why', 'Details'],
  interrupted: ['Continue Now', 'Show Why'],
};

// noticeOf is about a loop that has come to need its user, or has ended. What the
// user does in this window needs no notice: pause by the user, cancel, replace.
export function noticeOf(change: Change, level: Level): Notice | undefined {
  const { before, after } = change;
  if (!after || level === 'none' || before?.status === after.status) return undefined;
  const buttons = attention[after.status];
  if (buttons) return byUser(after) || retries(after) ? undefined : made('warning', after, buttons);
  const silent = ['CANCELLED', 'REPLACED', 'USER_STOPPED'].includes(after.status);
  if (!isEnded(after) || level !== 'all' || silent) return undefined;
  return made(after.status === 'PROMISE_ACCEPTED' ? 'information' : 'warning', after, ['Details', 'Show Why']);
}

const byUser = (l: Loop): boolean => l.status === 'paused' && l.pauseReason === 'user';
const retries = (l: Loop): boolean => l.status === 'waiting' && l.waitingFor === 'retry';

function made(severity: Notice['severity'], loop: Loop, buttons: Button[]): Notice {
  const text = `Ralph loop ${loop.id}: ${statusWords(loop)}, iteration ${iterationWords(loop)} — ${notice(loop.prompt, 80)}`;
  const delay = loop.status === 'waiting' && loop.waitingFor !== 'permission' ? delivery : 0;
  return { severity, text: notice(text, 200), buttons, loop, delay };
}
