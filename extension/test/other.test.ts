import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { Cursor } from '../src/cursor';
import { install } from '../src/install';
import { noticeOf } from '../src/notices';
import { complaint, find, program } from '../src/program';
import { loop } from './loop';

test('which program is used', () => {
  const places = { setting: '', carried: '/ext/bin', PATH: 'relative:/usr/bin::/opt/bin', windows: false };
  const has = (...there: string[]) => (f: string) => there.includes(f);
  assert.equal(find(places, 'cursor-ralph', has('/ext/bin/cursor-ralph', '/usr/bin/cursor-ralph')), '/ext/bin/cursor-ralph');
  assert.equal(find(places, 'cursor-ralph', has('/opt/bin/cursor-ralph')), '/opt/bin/cursor-ralph');
  assert.equal(find(places, 'cursor-ralph', has('relative/cursor-ralph', 'cursor-ralph')), undefined);
  assert.equal(find({ ...places, setting: '/my/own' }, 'cursor-ralph', has('/ext/bin/cursor-ralph')), undefined);
  assert.equal(find({ ...places, setting: '/my/own' }, 'cursor-ralph', has('/my/own')), '/my/own');
});

test('a program gets its arguments as they are, and its complaint is parted', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ext-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'cursor-ralph');
  writeFileSync(file, '#!/bin/sh\nfor a in "$@"; do printf "[%s]" "$a"; done\ncase $1 in bad) printf "cursor-ralph: looking for it\\ncursor-ralph: no loop %s\\ncursor-ralph: hint: name one\\n  abc\\n" x >&2; exit 2 ;; hang) sleep 60 ;; esac\n');
  chmodSync(file, 0o755);
  const p = program(file, { PATH: '/usr/bin:/bin' });
  const nasty = '$(touch /tmp/x) `id` "; rm -rf / \' *';
  assert.deepEqual(await p.run(['context', 'k7f2', '--', nasty]), { code: 0, stdout: `[context][k7f2][--][${nasty}]`, what: '', hint: '' });
  assert.deepEqual(await p.run(['bad']), { code: 2, stdout: '[bad]', what: 'no loop x', hint: 'name one abc' });
  assert.equal((await p.run(['hang'], { ms: 50 })).what, 'it did not end in time');
  assert.equal((await program('/nowhere/x', {}).run([])).code, 1);
  assert.deepEqual(complaint('panic: x\n\tat y'), { what: 'panic: x at y', hint: '' });
});

test('which change deserves a notice', () => {
  const of = (before: string | undefined, after: string, level: 'all' | 'attention' | 'none' = 'all') =>
    noticeOf({ before: before === undefined ? undefined : loop(before), after: loop(after) }, level, new Date(2026, 1, 3, 14, 5));
  assert.equal(of('running', 'running'), undefined);
  assert.equal(of('running', 'waiting')?.text, 'A Ralph loop needs you: waiting: make the tests pass (h7f2a, 14:05: 3/20 waiting (continuation))', 'it says when it was so');
  assert.equal(of('waiting', 'failed'), undefined, 'it needed the user before');
  assert.equal(of('running', 'paused'), undefined, 'the user paused it');
  assert.equal(of(undefined, 'pending'), undefined, 'the user has just started it');
  assert.equal(of('running', 'accepted')?.severity, 'information');
  assert.equal(of('running', 'accepted', 'attention'), undefined);
  assert.equal(of('running', 'limit')?.severity, 'warning');
  assert.equal(of('cancelled', 'limit'), undefined);
  assert.equal(of(undefined, 'accepted'), undefined, 'a record that turns up is no news');
  assert.equal(of('running', 'cancelled'), undefined);
  assert.equal(of('running', 'waiting', 'none'), undefined);
  assert.equal(noticeOf({ before: loop('running'), after: undefined }, 'all'), undefined);
});

test('hooks are registered once, in one place', async (t) => {
  const plugin = mkdtempSync(path.join(tmpdir(), 'ext-'));
  t.after(() => rmSync(plugin, { recursive: true, force: true }));
  const registered: string[] = [];
  const api = { plugins: { registerPath: (f: string) => registered.push(f) } };
  const cursor = (c: unknown) => new Cursor({ cursor: c, getCommands: async () => [], execute: async () => undefined });
  const kept = { bin: '/bin', plugin };
  const hooks = '/home/me/.cursor/hooks.json';
  assert.deepEqual(await install(cursor(api), { ...kept, hooks }, true), { how: 'hooks.json', file: hooks });
  assert.equal((await install(cursor(api), kept, false)).how, 'off');
  assert.equal((await install(cursor(undefined), kept, true)).how, 'nothing');
  assert.equal((await install(cursor(api), { ...kept, plugin: path.join(plugin, 'gone') }, true)).how, 'nothing');
  assert.deepEqual(registered, []);
  assert.deepEqual(await install(cursor(api), kept, true), { how: 'plugin', folder: plugin });
  assert.deepEqual(registered, [plugin]);
});
