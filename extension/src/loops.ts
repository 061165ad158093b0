// The loop object of `cursor-ralph … --json`, as far as this extension uses it,
// and what there is to say about loops. All pure.
import { plain } from './text';
import { parseTasks, parseTokens, taskWords, type Tasks, type Tokens } from './tokens';

export interface Loop {
  id: string;
  status: string;
  conversation?: string;
  kind?: string;
  pauseReason?: string;
  waitingFor?: string;
  // It goes on in a new chat, which has not begun.
  newChat: boolean;
  verifying: boolean;
  reason?: string;
  iteration: number;
  // How many are completed: what the history has.
  done: number;
  max: number;
  prompt: string;
  workspace: string;
  verify?: string;
  toolCalls?: number;
  lastOutput?: string;
  continueWith?: string;
  startedAt?: string;
  lastEventAt?: string;
  endedAt?: string;
  // When the user's last message left the chat's input.
  messageAt?: string;
  tokens?: Tokens;
  reviewTokens?: Tokens;
  tokensUnknownTurns?: number;
  maxTokens?: number;
  tasks?: Tasks;
}

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

// validId reports whether text may be an argument that names a loop or a chat.
export function validId(text: unknown): text is string {
  return typeof text === 'string' && idPattern.test(text);
}

type Json = Record<string, unknown>;

const text = (o: Json, name: string): string | undefined => (typeof o[name] === 'string' && o[name] !== '' ? (o[name] as string) : undefined);
const number = (o: Json, name: string): number | undefined => (typeof o[name] === 'number' && Number.isFinite(o[name]) ? (o[name] as number) : undefined);

// parseLoop reads a loop object. Fields it does not know are left out; without an
// id it is not a loop.
export function parseLoop(value: unknown): Loop | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const o = value as Json;
  const id = o['id'];
  if (!validId(id)) return undefined;
  const optional = {
    conversation: text(o, 'conversation_id'),
    kind: text(o, 'kind'),
    pauseReason: text(o, 'pause_reason'),
    waitingFor: text(o, 'waiting_for'),
    reason: text(o, 'reason'),
    verify: text(o, 'verify'),
    toolCalls: number(o, 'tool_calls'),
    lastOutput: text(o, 'last_output'),
    continueWith: text(o, 'continue'),
    startedAt: text(o, 'started_at') ?? text(o, 'created_at'),
    lastEventAt: text(o, 'last_event_at'),
    endedAt: text(o, 'ended_at'),
    messageAt: text(o, 'message_at'),
    tokens: parseTokens(o['tokens']),
    reviewTokens: parseTokens(o['review_tokens']),
    tokensUnknownTurns: number(o, 'tokens_unknown_turns'),
    maxTokens: number(o, 'max_tokens'),
    tasks: parseTasks(o['tasks']),
  };
  const loop: Loop = {
    id,
    status: text(o, 'status') ?? 'unknown',
    newChat: o['new_chat'] === true,
    verifying: o['verifying'] === true,
    iteration: number(o, 'iteration') ?? number(o, 'iterations') ?? 0,
    done: number(o, 'iterations') ?? 0,
    max: number(o, 'max_iterations') ?? 0,
    prompt: text(o, 'prompt') ?? text(o, 'task') ?? '',
    workspace: text(o, 'workspace') ?? '',
  };
  for (const [name, v] of Object.entries(optional)) if (v !== undefined) Object.assign(loop, { [name]: v });
  return loop;
}

const live = ['waiting', 'stalled', 'paused', 'interrupted', 'running', 'pending'];

export const isLive = (l: Loop): boolean => live.includes(l.status);
export const isEnded = (l: Loop): boolean => /^[A-Z]/.test(l.status);
export const isPausable = (l: Loop): boolean => ['running', 'stalled', 'waiting'].includes(l.status);
export const isResumable = (l: Loop): boolean => l.status === 'paused';
// cursor-ralph says what continues a loop, unless it goes on by itself or is over.
export const isContinuable = (l: Loop): boolean => l.continueWith !== undefined;

// statusWords is the status, and its reason in parentheses: "paused (idle)".
export function statusWords(l: Loop): string {
  const why = l.status === 'paused' ? l.pauseReason : l.status === 'waiting' ? l.waitingFor : l.verifying && l.status === 'running' ? 'verifying' : undefined;
  const word = isEnded(l) ? l.status.toLowerCase().replaceAll('_', ' ') : l.status;
  return plain(why ? `${word} (${why})` : word);
}

const capitalized = (s: string): string => s.charAt(0).toUpperCase() + s.slice(1);

export function iterationWords(l: Loop): string {
  return l.max > 0 ? `${l.iteration}/${l.max}` : `${l.iteration}`;
}

// chip is the text in the status bar, as `cursor-ralph status --line` prints it.
export function chip(loops: readonly Loop[]): string {
  const [only] = loops;
  if (!only) return '';
  const tasks = taskWords(only.tasks);
  if (loops.length === 1) return `Loop • ${capitalized(statusWords(only))} • Iter ${iterationWords(only)}${tasks === '' ? '' : ` • Tasks ${tasks}`}`;
  const counts = new Map<string, number>();
  for (const l of loops) counts.set(l.status, (counts.get(l.status) ?? 0) + 1);
  return `${loops.length} loops • ${[...counts].map(([word, n]) => `${n} ${word}`).sort().join(', ')}`;
}

// chatLine is the line that continues a loop when it is sent in a chat.
export function chatLine(l: Loop): string | undefined {
  return l.continueWith?.startsWith('/') ? plain(l.continueWith) : undefined;
}

// byUrgency orders loops: those that need the user first, ended ones last by time.
export function byUrgency(a: Loop, b: Loop): number {
  const rank = (l: Loop): number => (isLive(l) ? live.indexOf(l.status) : live.length);
  const when = (l: Loop): string => l.endedAt ?? l.lastEventAt ?? l.startedAt ?? '';
  return rank(a) - rank(b) || when(b).localeCompare(when(a)) || a.id.localeCompare(b.id);
}

// sameOrInside reports whether a folder is another one, or lies in it.
export function sameOrInside(folder: string, outer: string, windows = process.platform === 'win32'): boolean {
  const clean = (p: string): string => {
    const slashed = windows ? p.replaceAll('\\', '/').toLowerCase() : p;
    return slashed.length > 1 ? slashed.replace(/\/+$/, '') : slashed;
  };
  const [a, b] = [clean(folder), clean(outer)];
  return a !== '' && b !== '' && (a === b || a.startsWith(b === '/' ? b : b + '/'));
}

// here are the loops of a window: those in one of its folders, or whose folder
// holds one of them. A window without a folder has all.
export function here(loops: readonly Loop[], folders: readonly string[]): Loop[] {
  if (folders.length === 0) return [...loops];
  return loops.filter((l) => folders.some((f) => sameOrInside(l.workspace, f) || sameOrInside(f, l.workspace)));
}

// shown are the loops that the chip is about: the live ones, else the one that
// ended last, for an hour.
export function shown(loops: readonly Loop[], now: Date): Loop[] {
  const current = loops.filter(isLive).sort(byUrgency);
  if (current.length > 0) return current;
  const [last] = loops.filter(isEnded).sort(byUrgency);
  const fresh = last?.endedAt !== undefined && now.getTime() - Date.parse(last.endedAt) < 3_600_000;
  return last && fresh ? [last] : [];
}
