// The files of an iteration, and what is at a checkpoint.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as fake from './fake/vscode';
import { argumentsOf, Checkpoints, opening, uriOf } from '../src/checkpoint';
import type { Iteration } from '../src/loops';
import { LoopTree, type Node } from '../src/tree';
import { history, loop } from './loop';

test('a file of an iteration opens between its checkpoints', async () => {
  const uri = (l: { workspace: string }, f: string): unknown => fake.Uri.file(`${l.workspace}/${f}`);
  const l = loop('running');
  const tree = new LoopTree({ loops: () => [l], all: () => true, history: async () => history, uri } as never);
  const commands: unknown[] = [];
  for (const it of await tree.getChildren({ loop: l } as Node)) for (const file of await tree.getChildren(it)) commands.push((tree.getTreeItem(file).command as { command: string }).command);
  assert.deepEqual(commands, ['vscode.open', 'vscode.open', 'vscode.diff']);
  const diff = opening(loop('running', { id: 'k7f2a' }), history[0] as Iteration, 'dir/$(x) a.go', fake.Uri.file('/x') as never);
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
