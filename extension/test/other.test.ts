import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { Cursor } from '../src/cursor';
import { html } from '../src/detail/html';
import { model } from '../src/detail/model';
import { parseHistory } from '../src/history';
import { disk, hookFiles, install, installedIn } from '../src/install';
import { noticeOf } from '../src/notices';
import { complaint, find, program } from '../src/program';
import { suggestVerify } from '../src/suggest';
import { aLoop, hostile } from './loop';

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
  writeFileSync(file, '#!/bin/sh\nfor a in "$@"; do printf "[%s]" "$a"; done\ncase $1 in bad) printf "cursor-ralph: no loop %s\\ncursor-ralph: hint: name one\\ncursor-ralph: hint:   abc\\n" x >&2; exit 2 ;; hang) sleep 60 ;; esac\n');
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
  const of = (before: string | undefined, after: Record<string, unknown>, level: 'all' | 'attention' | 'none' = 'all') =>
    noticeOf({ before: before === undefined ? undefined : aLoop({ status: before }), after: aLoop(after) }, level);
  assert.equal(of('running', { status: 'running' }), undefined);
  assert.equal(of('running', { status: 'stalled' })?.delay, 0);
  assert.deepEqual(of('running', { status: 'stalled' })?.buttons, ['Continue Now', 'Show Why', 'Open Log']);
  assert.equal(of('stalled', { status: 'stalled' }), undefined);
  assert.equal(of('running', { status: 'waiting', waiting_for: 'continuation' })?.delay, 30_000);
  assert.equal(of('running', { status: 'waiting', waiting_for: 'permission' })?.delay, 0);
  assert.equal(of('running', { status: 'paused', pause_reason: 'user' }), undefined);
  assert.equal(of('running', { status: 'paused', pause_reason: 'idle' })?.severity, 'warning');
  assert.equal(of('running', { status: 'PROMISE_ACCEPTED' })?.severity, 'information');
  assert.equal(of('running', { status: 'PROMISE_ACCEPTED' }, 'attention'), undefined);
  assert.equal(of('running', { status: 'BLOCKED' })?.severity, 'warning');
  assert.equal(of('running', { status: 'CANCELLED' }), undefined);
  assert.equal(of('running', { status: 'stalled' }, 'none'), undefined);
  assert.equal(noticeOf({ before: aLoop(), after: undefined }, 'all'), undefined);
  const text = of('running', { status: 'BLOCKED', prompt: hostile })?.text ?? '';
  assert.doesNotMatch(text, /\]\(|\$\(|\u202e/);
});

test('suggested verify commands', () => {
  const of = (files: Record<string, string>) => suggestVerify({ has: (n) => n in files, read: (n) => files[n] });
  assert.deepEqual(of({}), []);
  assert.deepEqual(of({ 'go.mod': '', Makefile: 'all: x\ntest: build\n\tgo test\ncheck := 5\n' }), ['make test', 'go test ./...']);
  assert.deepEqual(of({ 'package.json': '{"scripts":{"test":"vitest","lint":"eslint .","x; rm":"y"}}' }), ['npm test', 'npm run lint']);
  assert.deepEqual(of({ 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\""}}' }), []);
  assert.deepEqual(of({ 'package.json': '{"scripts":{"test":"x"}}', 'pnpm-lock.yaml': '' }), ['pnpm test']);
  for (const bad of ['{', '[]', 'null', '{"scripts":5}', '{"scripts":{"test":5}}']) assert.deepEqual(of({ 'package.json': bad }), []);
});

test('hooks are registered once, in one place', async () => {
  const text = (files: Record<string, string>) => ({ read: (f: string) => files[f], exists: (f: string) => f in files });
  const registered: string[] = [];
  const api = { plugins: { registerPath: (f: string) => registered.push(f), unregisterPath: () => undefined } };
  const cursor = (c: unknown) => new Cursor({ cursor: c, getCommands: async () => [], execute: async () => undefined });
  const files = hookFiles('/home/me', ['/code/repo'], '/etc/cursor/hooks.json');
  assert.deepEqual(files, ['/home/me/.cursor/hooks.json', '/home/me/.cursor/plugins/local/cursor-ralph/hooks/hooks.json', '/code/repo/.cursor/hooks.json', '/etc/cursor/hooks.json']);
  const carried = { '/ext/plugin/.cursor-plugin/plugin.json': '{}' };
  const ours = '{"hooks":{"stop":[{"command":"/usr/bin/cursor-ralph-hook --x"}]}}';
  const run = (c: unknown, there: Record<string, string>, wanted = true) => install({ cursor: cursor(c), plugin: '/ext/plugin', wanted, files, disk: text(there) });
  assert.equal((await run(api, { ...carried, [files[1] ?? '']: ours })).how, 'hooks.json');
  assert.deepEqual(registered, []);
  assert.equal((await run(api, carried, false)).how, 'off');
  assert.equal((await run(undefined, carried)).how, 'nothing');
  assert.equal((await run(api, {})).how, 'nothing');
  assert.equal((await run(api, { ...carried, [files[0] ?? '']: '{ // "cursor-ralph-hook" was here\n}' })).how, 'plugin');
  assert.deepEqual(registered, ['/ext/plugin']);
  assert.equal(installedIn(['/a'], text({ '/a': '{"url":"http://x/y", "command":"cursor-ralph-hook"}' })), '/a');
});

test("a repository's hooks.json cannot hang the editor", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ext-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const link = path.join(folder, 'hooks.json');
  symlinkSync('/dev/null', link); // as /dev/zero, which never ends
  assert.equal(disk.read(link), undefined);
  assert.equal(disk.read(folder), undefined);
  for (const long of ['"' + '\\"'.repeat(1 << 20) + '\\', '/*'.repeat(1 << 20)]) {
    const began = Date.now();
    assert.equal(installedIn(['/a'], { read: () => long, exists: () => true }), undefined);
    assert.ok(Date.now() - began < 2000, `${long.slice(0, 4)} took ${Date.now() - began} ms`);
  }
});

test('the detail page holds no data, and may load nothing', () => {
  const page = html({ nonce: 'abc', script: 'vscode-resource:/detail.js' });
  assert.match(page, /default-src 'none'; script-src 'nonce-abc'; style-src 'nonce-abc'/);
  assert.doesNotMatch(page, /https?:|unsafe|style="|onclick/);
});

test('what the detail page shows', () => {
  const history = parseHistory([
    { iteration: 1, duration_seconds: 60, promise: 'none', tools: { shell: 2 }, files: ['a.go'], action: 'follow-up' },
    { iteration: 2, duration_seconds: 30, promise: 'refused', refused: hostile, verification: { passed: false, exit: 2, output: 'FAIL\n\u001b[31mx' } },
  ]);
  const m = model(aLoop({ prompt: hostile, verify: 'make test' }), history);
  assert.deepEqual(m.rows.map((r) => [r.number, r.calls, r.promise]), [[1, 2, 'none'], [2, 0, 'refused']]);
  assert.deepEqual(m.rows[1]?.more[1], { title: 'Verification', text: 'failed with exit code 2\nFAIL\n[31mx' });
  assert.ok(m.task.includes('<script>alert(1)</script>'), 'text stays what it is');
  assert.doesNotMatch(m.task, /\u202e|\u0007/);
  assert.deepEqual(m.actions.map((a) => a.title), ['Pause', 'Add context…', 'Cancel…', 'Show why']);
  assert.ok(m.facts.some((f) => f.name === 'Tokens' && f.value === 'unknown'));
  assert.equal(model(aLoop({ status: 'CANCELLED', continue: '/x' }), []).actions.map((a) => a.title).join(), 'Continue now,Show why');
});
