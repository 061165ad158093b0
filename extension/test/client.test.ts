import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import test, { type TestContext } from 'node:test';
import { Client, type Change } from '../src/client';
import { deferred, loop as printed } from './loop';

class Child extends EventEmitter {
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly stdin = new PassThrough();
  killed = false;
  kill(): boolean {
    this.killed = true;
    this.emit('close', null, 'SIGTERM');
    return true;
  }
  say(...messages: object[]): void {
    for (const m of messages) this.stdout.emit('data', Buffer.from(JSON.stringify(m) + '\n'));
  }
}

// scene has a clock whose hand the test moves.
function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { move: (ms: number): void => t.mock.timers.tick(ms) };
  const calls: { args: readonly string[]; child: Child }[] = [];
  const changes: { list: readonly Change[]; news: boolean }[] = [];
  const troubles: (string | undefined)[] = [];
  const stream = (args: readonly string[]): ChildProcess => {
    calls.push({ args, child: new Child() });
    return calls.at(-1)?.child as unknown as ChildProcess;
  };
  const client = new Client(stream, ['--folder', '/w'], { changed: (list, news) => changes.push({ list, news }), trouble: (why) => troubles.push(why) });
  client.start();
  const last = (): Child => calls.at(-1)?.child as Child;
  return { clock, calls, changes, troubles, client, last };
}

const loop = (id: string, status = 'running') => ({ schema: 1, type: 'loop', cursor: `c-${id}-${status}`, loop: printed('running', { id, status: status as 'running' }) });

test('the first snapshot is no news, what follows is', (t) => {
  const s = scene(t);
  s.last().say(loop('a'), loop('b'), { schema: 1, type: 'ready', cursor: 'c1' });
  assert.deepEqual(s.client.loops.map((l) => l.id), ['a', 'b']);
  assert.deepEqual(s.changes.map((c) => [c.list.length, c.news]), [[2, false]]);
  s.last().say(loop('a', 'paused'), loop('a', 'running'), loop('a', 'waiting'));
  s.clock.move(210);
  assert.equal(s.changes.length, 2);
  assert.deepEqual(s.changes[1]?.list.map((c) => [c.before?.status, c.after?.status]), [['running', 'waiting']]);
  s.last().say({ schema: 1, type: 'removed', id: 'b' });
  s.clock.move(210);
  assert.deepEqual(s.client.loops.map((l) => l.id), ['a']);
});

test('an ended stream is continued where it was, ever later', (t) => {
  const s = scene(t);
  s.last().say(loop('a'), { schema: 1, type: 'ready', cursor: 'c1', resumed: false });
  s.last().emit('close', 1, null);
  assert.equal(s.calls.length, 1);
  s.clock.move(500);
  assert.deepEqual(s.calls[1]?.args, ['events', '--json', '--until-eof', '--folder', '/w', '--after', 'c1']);
  s.last().say({ schema: 1, type: 'ready', cursor: 'c2', resumed: true });
  assert.deepEqual(s.client.loops.map((l) => l.id), ['a'], 'a resumed stream names only what changed');
  s.last().emit('close', 2, null);
  s.clock.move(500);
  s.last().emit('close', 2, null);
  s.clock.move(999);
  assert.equal(s.calls.length, 3);
  s.clock.move(1);
  s.last().say(loop('b'), { schema: 1, type: 'ready', cursor: 'c3', resumed: false });
  assert.deepEqual(s.client.loops.map((l) => l.id), ['b'], 'what a whole snapshot does not name is gone');
  for (let i = 0; i < 12; i++) {
    s.last().emit('close', 1, null);
    s.clock.move(30_000);
  }
  assert.equal(s.calls.length, 16);
});

test('silence is an end, alive is not', (t) => {
  const s = scene(t);
  s.last().say({ schema: 1, type: 'ready', cursor: 'c' });
  for (let i = 0; i < 5; i++) {
    s.clock.move(40_000);
    s.last().say({ schema: 1, type: 'alive' });
  }
  assert.equal(s.calls.length, 1);
  const first = s.last();
  s.clock.move(75_000);
  assert.ok(first.killed);
  s.clock.move(3000);
  assert.deepEqual(s.troubles.slice(-1), ['it does not answer']);
});

test('a program that dies after its first lines is trouble soon, but not one that starts again at once', (t) => {
  const s = scene(t);
  s.last().say(loop('a'), { schema: 1, type: 'ready', cursor: 'c' });
  s.last().emit('close', 1, null);
  s.clock.move(500);
  s.last().say({ schema: 1, type: 'ready', cursor: 'c', resumed: true });
  s.clock.move(10_000);
  assert.deepEqual(s.troubles, [undefined, undefined]);
  s.last().emit('close', 1, null);
  s.clock.move(500);
  s.last().say(loop('a'));
  s.last().emit('close', 1, null);
  assert.equal(s.troubles.at(-1), 'it ended with exit code 1');
});

test('a silent program is trouble', (t) => {
  const s = scene(t);
  s.clock.move(15_000);
  assert.equal(s.troubles.at(-1), 'it does not answer');
});

test('another schema is not read, and said', (t) => {
  const s = scene(t);
  s.last().say({ ...loop('a'), schema: 2 });
  assert.match(s.troubles.at(-1) ?? '', /^cursor-ralph prints schema 2, and this extension reads 1/);
  s.clock.move(100_000);
  assert.equal(s.calls.length, 1);
});

test('trouble says what cursor-ralph said', (t) => {
  const s = scene(t);
  s.last().stderr.emit('data', Buffer.from('cursor-ralph: there is no command events\n'));
  s.last().emit('close', 2, null);
  assert.deepEqual(s.troubles, ['there is no command events']);
  s.clock.move(500);
  s.last().say({ schema: 1, type: 'ready', cursor: 'c' });
  assert.deepEqual(s.troubles.at(-1), undefined);
});

test('nothing is started again after the end', (t) => {
  const s = scene(t);
  const first = s.last();
  s.client.dispose();
  assert.ok(first.killed);
  s.clock.move(100_000);
  assert.equal(s.calls.length, 1);
});

test('garbage between lines is skipped', (t) => {
  const s = scene(t);
  s.last().stdout.emit('data', Buffer.from('panic: x\nnull\n"x"\n'));
  s.last().say({ schema: 1, type: 'loop', loop: { id: '../../etc' } }, loop('a'), { schema: 1, type: 'ready', cursor: 'c' });
  assert.deepEqual(s.client.loops.map((l) => l.id), ['a']);
});

test('a real process', async () => {
  const script = `process.stdout.write(${JSON.stringify('no JSON\n5\n\n' + JSON.stringify(loop('a')) + '\n{"schema":1,"type":"ready","cursor":"c"}\n')}); process.stdin.resume(); process.stdin.on('end', () => process.exit(0));`;
  const ready = deferred<void>();
  let child: ChildProcess | undefined;
  const client = new Client(() => (child = spawn(process.execPath, ['-e', script])), [], { changed: () => undefined, trouble: (t) => t === undefined && ready.resolve(undefined) });
  client.start();
  await ready.promise;
  assert.deepEqual(client.loops.map((l) => l.id), ['a']);
  const ended = new Promise((resolve) => child?.once('exit', resolve));
  client.dispose();
  await ended;
});
