// Numbers of tokens, and of tasks: how they are read and said. Pure.
export interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface Tasks {
  done: number;
  total: number;
  next: string;
  error: string;
}

type Json = Record<string, unknown>;
const object = (v: unknown): Json | undefined => (typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Json) : undefined);
const count = (v: unknown): number => (typeof v === 'number' && Number.isFinite(v) && v > 0 ? v : 0);
const text = (v: unknown): string => (typeof v === 'string' ? v : '');

export function parseTokens(v: unknown): Tokens | undefined {
  const o = object(v);
  return o && { input: count(o['input']), output: count(o['output']), cacheRead: count(o['cache_read']), cacheWrite: count(o['cache_write']) };
}

export function parseTasks(v: unknown): Tasks | undefined {
  const o = object(v);
  return o && { done: count(o['done']), total: count(o['total']), next: text(o['next']), error: text(o['error']) };
}

// short is such as 12.3k, as cursor-ralph writes it.
export function short(n: number): string {
  if (n < 1000) return String(n);
  return n < 1_000_000 ? `${(Math.floor(n / 100) / 10).toFixed(1)}k` : `${(Math.floor(n / 100_000) / 10).toFixed(1)}M`;
}

// tokenWords says what is known, of the turns and of the reviews, and what is not: unknown is not nothing.
export function tokenWords(t: Tokens | undefined, unknownTurns = 0, limit = 0, reviews?: Tokens): string {
  if (!t && !reviews) return limit > 0 ? `unknown, of at most ${short(limit)}` : 'unknown';
  const sum = [t, reviews].reduce((n, part) => n + (part ? part.input + part.output : 0), 0);
  const most = limit > 0 ? ` of at most ${short(limit)}` : '';
  const parts = t ? [`input ${short(t.input)}, output ${short(t.output)}`] : [];
  if (t && t.cacheRead > 0) parts.push(`read from the cache ${short(t.cacheRead)}`);
  if (reviews) parts.push(`reviews ${short(reviews.input + reviews.output)}`);
  const gaps = unknownTurns > 0 ? `; unknown for ${unknownTurns} more ${unknownTurns === 1 ? 'turn' : 'turns'}` : '';
  return `${short(sum)}${most} (${parts.join(', ')})${gaps}`;
}

// taskWords is how far the tasks are: 7/12.
export function taskWords(t: Tasks | undefined): string {
  return t && t.total > 0 ? `${t.done}/${t.total}` : '';
}
