import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { Client } from '../src/client';
import { StatusBar } from '../src/statusbar';
import { loop } from './loop';

// 200 events a second about 100 loops, for what would be 20 seconds: the work of
// reading them and drawing the chip is measured, not the time.
test('a busy stream costs little', async () => {
  const child = Object.assign(new EventEmitter(), { stdout: new PassThrough(), stderr: new PassThrough(), stdin: new PassThrough(), kill: () => true });
  let drawn = 0;
  const bar = new StatusBar();
  const client: Client = new Client(() => child as unknown as ChildProcess, [], {
    changed: () => void (bar.show(client.loops, undefined), drawn++),
    trouble: () => undefined,
  });
  client.start();
  const lines = Array.from({ length: 4000 }, (_, n) =>
    JSON.stringify({ schema: 1, type: 'loop', cursor: `c${n}`, loop: { ...loop('running'), id: `k${1000 + (n % 100)}`, iteration: n, prompt: 'x'.repeat(1000) } }) + '\n');
  const before = process.cpuUsage();
  for (let n = 0; n < lines.length; n++) {
    child.stdout.emit('data', Buffer.from(lines[n] ?? ''));
    if (n % 40 === 39) await new Promise((resolve) => setTimeout(resolve, 10)); // a fifth of a second's events
  }
  const used = process.cpuUsage(before);
  await new Promise((resolve) => setTimeout(resolve, 250));
  assert.equal(client.loops.length, 100);
  client.dispose();
  const share = (used.user + used.system) / 1e6 / 20;
  assert.ok(share < 0.05, `${(share * 100).toFixed(1)} % of a core`);
  assert.ok(drawn < 20, `drawn ${drawn} times`);
});
