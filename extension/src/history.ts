// The iterations of a loop, as `cursor-ralph history --json` prints them. Pure.
import { duration, plain } from './text';
import { parseTasks, parseTokens, short, taskWords, type Tasks, type Tokens } from './tokens';

export interface Iteration {
  number: number;
  startedAt?: string;
  seconds: number;
  promise: string;
  refused?: string;
  warning?: string;
  tools: [name: string, count: number][];
  files: string[];
  errors: string[];
  answer?: string;
  verification?: string;
  struggle?: string;
  action?: string;
  tokens?: Tokens;
  tasks?: Tasks;
  review?: Review;
  // The number of the checkpoint after it.
  checkpoint?: number;
}

export interface Review {
  agent: string;
  verdict: string;
  findings: string[];
  why: string;
}

type Json = Record<string, unknown>;

const strings = (v: unknown): string[] => (Array.isArray(v) ? v.filter((x): x is string => typeof x === 'string') : []);
const text = (v: unknown): string | undefined => (typeof v === 'string' && v !== '' ? v : undefined);
const count = (v: unknown): number => (typeof v === 'number' && Number.isFinite(v) ? v : 0);

export function parseHistory(value: unknown): Iteration[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((v) => {
    if (typeof v !== 'object' || v === null) return [];
    return [iteration(v as Json)];
  });
}

function iteration(o: Json): Iteration {
  const tools = typeof o['tools'] === 'object' && o['tools'] !== null ? Object.entries(o['tools']) : [];
  const it: Iteration = {
    number: count(o['iteration']),
    seconds: count(o['duration_seconds']),
    promise: text(o['promise']) ?? 'none',
    tools: tools.map(([name, n]): [string, number] => [name, count(n)]).sort((a, b) => b[1] - a[1]),
    files: strings(o['files']),
    errors: strings(o['errors']),
  };
  const optional = {
    startedAt: text(o['started_at']),
    refused: text(o['refused']),
    warning: text(o['warning']),
    answer: text(o['answer']),
    verification: verification(o['verification']),
    struggle: text(o['struggle']),
    action: text(o['action']),
    tokens: parseTokens(o['tokens']),
    tasks: parseTasks(o['tasks']),
    review: review(o['review']),
    checkpoint: count(o['checkpoint']) || undefined,
  };
  for (const [name, v] of Object.entries(optional)) if (v !== undefined) Object.assign(it, { [name]: v });
  return it;
}

function verification(v: unknown): string | undefined {
  if (typeof v !== 'object' || v === null) return undefined;
  const o = v as Json;
  const how = o['passed'] === true ? 'passed' : (text(o['why']) ?? `failed with exit code ${count(o['exit'])}`);
  const output = text(o['output']);
  return output ? `${how}\n${output}` : how;
}

function review(v: unknown): Review | undefined {
  if (typeof v !== 'object' || v === null) return undefined;
  const o = v as Json;
  return { agent: text(o['agent']) ?? '', verdict: text(o['verdict']) ?? 'unknown', findings: strings(o['findings']), why: text(o['why']) ?? '' };
}

// reviewWords is what a reviewer said, a finding a line.
export function reviewWords(r: Review): string {
  const verdict = r.verdict === 'findings' ? `${r.findings.length} ${r.findings.length === 1 ? 'finding' : 'findings'}` : r.verdict;
  return [`${verdict}${r.agent === '' ? '' : `, by ${r.agent}`}${r.why === '' ? '' : `: ${r.why}`}`, ...r.findings.map((f) => `- ${f}`)].join('\n');
}

export const toolCalls = (it: Iteration): number => it.tools.reduce((sum, [, n]) => sum + n, 0);

// outcome is one line about an iteration.
export function outcome(it: Iteration): string {
  const parts = [duration(it.seconds), `${toolCalls(it)} tool calls`, it.files.length === 1 ? '1 file' : `${it.files.length} files`];
  if (it.promise === 'accepted') parts.push('promise accepted');
  if (it.promise === 'refused') parts.push(`promise refused${it.refused ? `: ${plain(it.refused)}` : ''}`);
  if (it.review) parts.push(`review: ${plain(reviewWords(it.review).split('\n')[0] ?? '')}`);
  if (taskWords(it.tasks) !== '') parts.push(`tasks ${taskWords(it.tasks)}`);
  if (it.tokens) parts.push(`${short(it.tokens.input + it.tokens.output)} tokens`);
  return parts.join(' • ');
}
