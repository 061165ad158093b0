// What the detail page shows. The page gets data only, and makes text of it.
import { outcome, reviewWords, toolCalls, type Iteration } from '../history';
import { isContinuable, isLive, isPausable, isResumable, iterationWords, statusWords, type Loop } from '../loops';
import { duration, head, lines } from '../text';
import { taskWords, tokenWords } from '../tokens';

export interface Row {
  number: number;
  when: string;
  seconds: number;
  took: string;
  tools: string;
  calls: number;
  files: string[];
  promise: string;
  outcome: string;
  more: { title: string; text: string }[];
}

export interface Model {
  id: string;
  title: string;
  status: string;
  live: boolean;
  facts: { name: string; value: string }[];
  task: string;
  actions: { command: string; title: string }[];
  rows: Row[];
}

// What the page sends: an action, or a file to open.
export type FromPage = { type: 'ready' } | { type: 'act'; command: string } | { type: 'open'; file: string; iteration: number };

const longest = 20_000;

export function model(l: Loop, history: readonly Iteration[]): Model {
  return {
    id: l.id,
    title: `Ralph loop ${l.id}`,
    status: statusWords(l),
    live: isLive(l),
    facts: facts(l).filter((f): f is { name: string; value: string } => f.value !== undefined && f.value !== ''),
    task: lines(l.prompt.slice(0, longest)),
    actions: actions(l),
    rows: history.map(row),
  };
}

function facts(l: Loop): { name: string; value: string | undefined }[] {
  const of = (name: string, value: string | undefined): { name: string; value: string | undefined } => ({ name, value: value && head(value, 500) });
  return [
    of('Iteration', iterationWords(l).replace('/', ' of ')),
    of('Why', l.reason),
    of('Verify command', l.verify),
    of('Progress', l.lastOutput),
    of('Tool calls', l.toolCalls === undefined ? undefined : String(l.toolCalls)),
    of('Tasks', taskWords(l.tasks) + (l.tasks?.next ? `, next: ${l.tasks.next}` : '') || l.tasks?.error),
    of('Tokens', tokenWords(l.tokens, l.tokensUnknownTurns, l.maxTokens, l.reviewTokens)),
    of('Workspace', l.workspace),
    of('Started', l.startedAt && time(l.startedAt)),
    of('Last event', l.lastEventAt && time(l.lastEventAt)),
    of('Ended', l.endedAt && time(l.endedAt)),
    of('Chat', l.conversation),
  ];
}

function actions(l: Loop): Model['actions'] {
  const all: [boolean, string, string][] = [
    [isPausable(l), 'cursorRalph.pause', 'Pause'],
    [isResumable(l), 'cursorRalph.resume', 'Resume'],
    [isContinuable(l), 'cursorRalph.continueNow', 'Continue now'],
    [isLive(l), 'cursorRalph.context', 'Add context…'],
    [isLive(l), 'cursorRalph.cancel', 'Cancel…'],
    [true, 'cursorRalph.why', 'Show why'],
  ];
  return all.filter(([suits]) => suits).map(([, command, title]) => ({ command, title }));
}

function time(t: string): string {
  const at = new Date(t);
  return Number.isNaN(at.getTime()) ? t : at.toLocaleString();
}

function row(it: Iteration): Row {
  const more: [string, string | undefined][] = [
    ['Promise refused', it.refused],
    ['Warning', it.warning],
    ['Verification', it.verification],
    ['Stuck', it.struggle],
    ['Errors', it.errors.join('\n') || undefined],
    ['The agent said', it.answer],
    ['Next', it.action],
    ['Review', it.review && reviewWords(it.review)],
    ['Tasks', taskWords(it.tasks) || undefined],
    ['Tokens', it.tokens && tokenWords(it.tokens)],
  ];
  return {
    number: it.number,
    when: it.startedAt ? time(it.startedAt) : '',
    seconds: Math.max(0, it.seconds),
    took: duration(it.seconds),
    tools: head(it.tools.map(([name, n]) => `${name} ${n}`).join(', '), 300),
    calls: toolCalls(it),
    files: it.files.slice(0, 200),
    promise: ['accepted', 'refused'].includes(it.promise) ? it.promise : 'none',
    outcome: head(outcome(it), 300),
    more: more.flatMap(([title, text]) => (text === undefined ? [] : [{ title, text: lines(text.slice(0, longest)) }])),
  };
}
