// What cursor-ralph says about loops, and the little that this extension makes of it.
import type { Iteration, Loop, LoopAction } from '../generated/schema';

export type { Iteration, Loop };
export type Action = LoopAction;

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

// validId reports whether text may be an argument that names a loop or a chat.
export function validId(text: unknown): text is string {
  return typeof text === 'string' && idPattern.test(text);
}

// isHere reports whether a loop belongs to this window. All do where it has no folder.
export const isHere = (l: Loop): boolean => l.here !== false;
export const isEnded = (l: Loop): boolean => l.item.group === 'ended';
export const actionOf = (l: Loop, name: Action['name']): Action | undefined => l.actions.find((a) => a.name === name);

// byAge orders loops by when they began, the newest first: it never changes.
export function byAge(a: Loop, b: Loop): number {
  const born = (l: Loop): string => l.created_at ?? l.started_at ?? l.ended_at ?? '';
  return born(b).localeCompare(born(a)) || a.id.localeCompare(b.id);
}
