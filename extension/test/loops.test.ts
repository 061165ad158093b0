import assert from 'node:assert/strict';
import test from 'node:test';
import { byUrgency, chatLine, chip, here, isContinuable, parseLoop, sameOrInside, shown, statusWords, validId } from '../src/loops';
import { parseHistory, outcome, toolCalls } from '../src/history';
import { aLoop } from './loop';

test('the chip says how a loop stands', () => {
  for (const [change, want] of [
    [{}, 'Loop • Running • Iter 3/20'],
    [{ verifying: true }, 'Loop • Running (verifying) • Iter 3/20'],
    [{ status: 'paused', pause_reason: 'idle' }, 'Loop • Paused (idle) • Iter 3/20'],
    [{ status: 'waiting', waiting_for: 'permission' }, 'Loop • Waiting (permission) • Iter 3/20'],
    [{ status: 'PROMISE_ACCEPTED', iteration: 4 }, 'Loop • Promise accepted • Iter 4/20'],
    [{ status: 'pending', max_iterations: undefined }, 'Loop • Pending • Iter 3'],
  ] as const) {
    assert.equal(chip([aLoop(change)]), want);
  }
  const three = [aLoop(), aLoop({ id: 'a1111', status: 'paused' }), aLoop({ id: 'b1111' })];
  assert.equal(chip(three), '3 loops • 1 paused, 2 running');
  assert.equal(chip([]), '');
});

test('a loop object of the future, and none', () => {
  assert.equal(parseLoop({ id: 'k7f2a', status: 'dreaming', more: [1] })?.status, 'dreaming');
  for (const bad of [null, 1, 'x', [], {}, { id: 5 }, { id: '../x' }, { id: '--help' }, { id: '' }]) assert.equal(parseLoop(bad), undefined);
  assert.equal(parseLoop({ id: 'k7f2a', task: 'old name', iterations: 2 })?.prompt, 'old name');
  assert.equal(statusWords(aLoop({ status: 'paused', pause_reason: 'a\u0007\nb' })), 'paused (a b)');
});

test('ids are never options or paths', () => {
  for (const id of ['-x', '', '.x', 'a/b', 'a b', 'a;b', 'x'.repeat(129), 5, null]) assert.equal(validId(id), false, String(id));
  for (const id of ['k7f2', '4f1d1b0e-8d0c-4d2b', 'run-1', 'a.b_c']) assert.equal(validId(id), true, id);
});

test('which loops belong to a window', () => {
  const loops = [aLoop({ workspace: '/code/repo' }), aLoop({ id: 'b', workspace: '/code/repo/sub' }), aLoop({ id: 'c', workspace: '/code/repository' }), aLoop({ id: 'd', workspace: '' })];
  assert.deepEqual(here(loops, ['/code/repo']).map((l) => l.id), ['k7f2a', 'b']);
  assert.deepEqual(here(loops, ['/code/repo/sub', '/other']).map((l) => l.id), ['k7f2a', 'b']);
  assert.equal(here(loops, []).length, 4);
  assert.equal(sameOrInside('C:\\Code\\Repo', 'c:/code/repo/', true), true);
  assert.equal(sameOrInside('/a', '/', false), true);
});

test('the loops that the chip is about', () => {
  const now = new Date('2026-01-01T12:00:00Z');
  const ended = (id: string, at: string) => aLoop({ id, status: 'PROMISE_ACCEPTED', ended_at: at });
  const old = ended('a', '2026-01-01T10:00:00Z');
  const fresh = ended('b', '2026-01-01T11:30:00Z');
  assert.deepEqual(shown([old, fresh], now).map((l) => l.id), ['b']);
  assert.deepEqual(shown([old], now), []);
  const order = [aLoop({ id: 'r' }), aLoop({ id: 'w', status: 'waiting' }), fresh, aLoop({ id: 's', status: 'stalled' })].sort(byUrgency);
  assert.deepEqual(order.map((l) => l.id), ['w', 's', 'r', 'b']);
  assert.deepEqual(shown(order, now).map((l) => l.id), ['w', 's', 'r']);
});

test('the line for the chat', () => {
  assert.equal(chatLine(aLoop()), undefined);
  assert.equal(chatLine(aLoop({ continue: '/ralph-loop --continue 4f1d-1b0e' })), '/ralph-loop --continue 4f1d-1b0e');
  assert.equal(chatLine(aLoop({ kind: 'run', continue: 'cursor-ralph run --resume k7f2a' })), undefined);
  assert.equal(isContinuable(aLoop()), false);
  assert.equal(isContinuable(aLoop({ kind: 'run', continue: 'cursor-ralph run --resume k7f2a' })), true);
});

test('the history', () => {
  const [it, empty] = parseHistory([
    { iteration: 2, duration_seconds: 65, promise: 'refused', refused: 'the verification failed', tools: { edit_file: 2, shell: 5 }, files: ['a.go', 7], verification: { passed: false, exit: 1, output: 'FAIL' } },
    {},
    null,
  ]);
  assert.ok(it && empty);
  assert.equal(toolCalls(it), 7);
  assert.deepEqual(it.tools[0], ['shell', 5]);
  assert.equal(it.verification, 'failed with exit code 1\nFAIL');
  assert.equal(outcome(it), '1 min 5 s • 7 tool calls • 1 file • promise refused: the verification failed');
  assert.equal(outcome(empty), '0 s • 0 tool calls • 0 files');
  assert.deepEqual(parseHistory('nothing'), []);
});
