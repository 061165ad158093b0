// Tasks, tokens, reviews and checkpoints, as issue 16's loops have them.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as fake from './fake/vscode';
import { argumentsOf, Checkpoints, opening, uriOf } from '../src/checkpoint';
import { model } from '../src/detail/model';
import { outcome, parseHistory, type Iteration } from '../src/history';
import { chip } from '../src/loops';
import { tooltip } from '../src/statusbar';
import { parseTokens, short, tokenWords } from '../src/tokens';
import { LoopTree } from '../src/tree';
import { aLoop, hostile } from './loop';

const tasks = { file: 'TODO.md', done: 7, total: 12, next: hostile };
const tokens = { input: 12_345, output: 678, cache_read: 2_000_000 };

test('the chip and its tooltip have the tasks and tokens', () => {
  assert.equal(chip([aLoop({ tasks })]), 'Loop • Running • Iter 3/20 • Tasks 7/12');
  assert.equal(chip([aLoop({ tasks: { done: 0, total: 0, error: 'no such file' } })]), 'Loop • Running • Iter 3/20');
  const hover = tooltip([aLoop({ tasks, tokens, tokens_unknown_turns: 1, max_tokens: 100_000 })], new Date());
  assert.match(hover, /\ntasks: 7\/12, next: <img src=x/);
  assert.match(hover, /\ntokens: 13\.0k of at most 100\.0k \(input 12\.3k, output 678, read from the cache 2\.0M\); unknown for 1 more turn$/);
  assert.match(tooltip([aLoop()], new Date()), /\ntokens: unknown$/);
});

test('tokens of any form', () => {
  for (const bad of [undefined, null, 5, 'x', []]) assert.equal(parseTokens(bad), undefined);
  assert.deepEqual(parseTokens({ input: -5, output: 'x' }), { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
  assert.deepEqual([0, 999, 1000, 12_399, 999_999, 1_000_000, 2_560_000].map(short), ['0', '999', '1.0k', '12.3k', '999.9k', '1.0M', '2.5M']);
  assert.equal(tokenWords(undefined, 0, 5000), 'unknown, of at most 5.0k');
  const reviews = { input: 90, output: 10, cacheRead: 5, cacheWrite: 0 };
  assert.equal(tokenWords({ input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }, 0, 0, reviews), '103 (input 1, output 2, reviews 100)');
  assert.equal(tokenWords(undefined, 2, 500, reviews), '100 of at most 500 (reviews 100); unknown for 2 more turns');
});

const history = (): Iteration[] =>
  parseHistory([
    { iteration: 1, duration_seconds: 60, promise: 'none', files: ['a.go'], tokens, tasks: { done: 3, total: 12 }, checkpoint: 1 },
    { iteration: 2, duration_seconds: 60, promise: 'refused', refused: 'the review found 2 problems', files: ['a.go', 'b/c d.go'], review: { agent: 'claude:opus', verdict: 'findings', findings: ['a.go:5: no test', hostile], duration_seconds: 9 } },
    { iteration: 3, promise: 'none', review: { agent: 'x', verdict: 'error', why: 'no JSON' } },
    { iteration: 4, review: 5, tokens: 7, checkpoint: 'x', tasks: [] },
  ]);

test('an iteration says what it cost and what the reviewer found', () => {
  const all = history();
  assert.equal(outcome(all[0] as Iteration), '1 min • 0 tool calls • 1 file • tasks 3/12 • 13.0k tokens');
  assert.match(outcome(all[1] as Iteration), /• promise refused: the review found 2 problems • review: 2 findings, by claude:opus$/);
  assert.match(outcome(all[2] as Iteration), /• review: error, by x: no JSON$/);
  assert.equal(all[3]?.review ?? all[3]?.tokens ?? all[3]?.checkpoint, undefined);
  const m = model(aLoop({ tasks, tokens }), all);
  assert.ok(m.facts.some((f) => f.name === 'Tasks' && f.value.startsWith('7/12, next: <img')));
  const review = m.rows[1]?.more.find((x) => x.title === 'Review');
  assert.match(review?.text ?? '', /^2 findings, by claude:opus\n- a\.go:5: no test\n- <img src=x/);
  assert.doesNotMatch(review?.text ?? '', /[\u0007\u202e]/);
  assert.ok(m.rows[0]?.more.some((x) => x.title === 'Tokens' && x.text.startsWith('13.0k (input')));
});

test('a file of an iteration opens between its checkpoints', async () => {
  const all = history();
  const tree = new LoopTree(() => [aLoop()], (async () => all) as never, ((l: { workspace: string }, f: string) => fake.Uri.file(`${l.workspace}/${f}`)) as never);
  const [loop] = await tree.getChildren();
  assert.ok(loop);
  const iterations = await tree.getChildren(loop);
  const commands: unknown[] = [];
  for (const it of iterations) for (const file of await tree.getChildren(it)) commands.push((tree.getTreeItem(file).command as { command: string }).command);
  assert.deepEqual(commands, ['vscode.open', 'vscode.open', 'vscode.diff']);
  const diff = opening(aLoop(), all[0] as Iteration, 'dir/$(x) a.go', fake.Uri.file('/x') as never);
  const [before, after, title] = diff.arguments as [{ query: string; path: string }, { query: string }, string];
  assert.deepEqual(argumentsOf(before.query), ['checkpoint-file', '--before', '--', 'k7f2a', '1', 'dir/$(x) a.go']);
  assert.deepEqual(argumentsOf(after.query), ['checkpoint-file', '--', 'k7f2a', '1', 'dir/$(x) a.go']);
  assert.equal(before.path, '/dir/$(x) a.go');
  assert.equal(title, '$(x) a.go (loop k7f2a, iteration 1)');
});

test('what is at a checkpoint', async () => {
  const ran: string[][] = [];
  const answer = { code: 0, stdout: 'package main\n', what: '', hint: '' };
  const provider = new Checkpoints(() => ({ run: async (args: string[]) => (ran.push(args), answer) }) as never);
  const uri = uriOf('k7f2a', 3, 'after', 'a.go');
  assert.equal(await provider.provideTextDocumentContent(uri), 'package main\n');
  answer.stdout = '\0ELF';
  assert.equal(await provider.provideTextDocumentContent(uri), '(a binary file)\n');
  Object.assign(answer, { code: 1, what: 'there is no checkpoint 3' });
  await assert.rejects(provider.provideTextDocumentContent(uri), /there is no checkpoint 3/);
  const count = ran.length;
  for (const query of ['', '{}', 'null', '{"loop":"--x","n":1,"side":"after","file":"a"}', '{"loop":"k7f2a","n":"1","side":"after","file":"a"}', '{"loop":"k7f2a","n":1,"side":"x","file":"a"}', '{"loop":"k7f2a","n":1,"side":"after"}']) {
    await assert.rejects(provider.provideTextDocumentContent({ query } as never), /not a file of a checkpoint/, query);
  }
  assert.equal(ran.length, count);
});
