import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type TestContext } from 'node:test';
import { editors, own, parseCarried, place, rootOf, touch } from '../src/place';
import { report, versionOf } from '../src/memory';
import { remains, uninstall } from '../src/uninstall';

// A home with an editor that has our extension.
function home(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ext-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const root = rootOf('linux', folder, {});
  const unpack = (version: string, editor = 'cursor'): string => {
    const dir = path.join(folder, `.${editor}`, 'extensions', `cursor-ralph.cursor-ralph-${version}`);
    const files: Record<string, string> = {
      'bin/cursor-ralph': `#!/bin/sh\necho "${version} $*" >>"$HOME/ran"\n`,
      'bin/cursor-ralph-hook': `#!/bin/sh\ncat >/dev/null; echo '{"by":"${version}"}'\n`,
      'plugin/.cursor-plugin/plugin.json': '{}',
      'plugin/commands/ralph-loop.md': `run cursor-ralph ${version}`,
    };
    let list = '';
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
      writeFileSync(path.join(dir, name), text);
      list += `${createHash('sha256').update(text).digest('hex')}  ${name}\n`;
    }
    writeFileSync(path.join(dir, 'carried'), list);
    writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ version }));
    return dir;
  };
  const current = (): string => readlinkSync(path.join(root, 'current'));
  const hook = (p: { plugin: string }): string => spawnSync('sh', ['-c', `"${p.plugin}/../bin/cursor-ralph-hook"`], { input: '{}', encoding: 'utf8' }).stdout.trim();
  return { folder, root, unpack, current, hook };
}

test('an update leaves what running loops use', async (t) => {
  const umask = process.umask(0); // nobody else may replace what runs, whatever it is
  t.after(() => process.umask(umask));
  const h = home(t);
  const [one, two] = [h.unpack('1.0.0'), h.unpack('1.10.0')];
  const before = await place({ extension: one, root: h.root });
  assert.equal(h.hook(before), '{"by":"1.0.0"}');
  assert.match(h.current(), /^1\.0\.0-/);
  rmSync(one, { recursive: true });
  const after = await place({ extension: two, root: h.root });
  assert.equal(h.hook(before), '{"by":"1.0.0"}', 'the hook that a loop began with');
  assert.equal(h.hook(after), '{"by":"1.10.0"}');
  assert.equal(after.stable, before.stable);
  assert.match(h.current(), /^1\.10\.0-/);
  assert.deepEqual(after.others, [before.plugin]);
  assert.equal(statSync(path.join(after.bin, 'cursor-ralph')).mode & 0o777, 0o700);
  assert.equal(statSync(h.root).mode & 0o777, 0o700);
});

test('a window of the old version keeps its copy, and leaves the new one current', async (t) => {
  const h = home(t);
  const [one, two] = [h.unpack('1.0.0'), h.unpack('2.0.0')];
  const before = await place({ extension: one, root: h.root });
  await place({ extension: two, root: h.root });
  rmSync(one, { recursive: true });
  const long = new Date(Date.now() - 31 * 86_400_000);
  utimesSync(path.dirname(before.bin), long, long);
  await touch(before);
  await place({ extension: two, root: h.root });
  assert.equal(h.hook(before), '{"by":"1.0.0"}');
  assert.match(h.current(), /^2\.0\.0-/);
});

test('what nobody has used for a month is removed, and what a kill left', async (t) => {
  const h = home(t);
  const [one, two] = [h.unpack('1.0.0'), h.unpack('2.0.0')];
  const before = await place({ extension: one, root: h.root });
  await place({ extension: two, root: h.root });
  const ago = (days: number): Date => new Date(Date.now() - days * 86_400_000);
  mkdirSync(path.join(h.root, '.new-aaaaaaaaaaaa'));
  const fresh = path.join(h.root, '.new-bbbbbbbbbbbb');
  mkdirSync(fresh);
  utimesSync(path.join(h.root, '.new-aaaaaaaaaaaa'), ago(1), ago(1));
  utimesSync(path.dirname(before.bin), ago(29), ago(29));
  await place({ extension: two, root: h.root });
  assert.ok(existsSync(before.plugin));
  assert.ok(existsSync(fresh));
  utimesSync(path.dirname(before.bin), ago(31), ago(31));
  await place({ extension: two, root: h.root });
  assert.ok(!existsSync(before.plugin));
  assert.deepEqual(readdirSync(h.root).filter((n) => n.startsWith('.')), ['.new-bbbbbbbbbbbb']);
});

test('a copy is whole or not there', async (t) => {
  const h = home(t);
  const one = h.unpack('1.0.0');
  writeFileSync(path.join(one, 'bin/cursor-ralph'), 'half');
  await assert.rejects(place({ extension: one, root: h.root }), /is not what the extension carries/);
  assert.deepEqual(readdirSync(h.root), ['editors']);
  h.unpack('1.0.0');
  const placed = await place({ extension: one, root: h.root });
  rmSync(path.join(placed.bin, 'cursor-ralph-hook')); // somebody cleans up
  assert.equal(h.hook(await place({ extension: one, root: h.root })), '{"by":"1.0.0"}');
});

test('many windows at once, and two editors', async (t) => {
  const h = home(t);
  const [one, two] = [h.unpack('2.0.0'), h.unpack('1.0.0', 'vscode')];
  const all = await Promise.all([...Array(8).keys()].map((n) => place({ extension: n % 2 ? one : two, root: h.root })));
  for (const p of all) assert.equal(JSON.parse(h.hook(p)).by, p.bin.includes('2.0.0') ? '2.0.0' : '1.0.0');
  assert.match(h.current(), /^2\.0\.0-/, 'the newest that an editor uses');
  assert.equal((await editors(h.root)).length, 2);
});

test('the copy is finished before it is in place', async (t) => {
  const h = home(t);
  const finish = (copy: string, placed: { bin: string; stable: string }): Promise<void> => Promise.resolve(writeFileSync(path.join(copy, 'plugin/commands/ralph-loop.md'), `${placed.bin} ${placed.stable}`));
  const p = await place({ extension: h.unpack('1.0.0'), root: h.root, finish });
  assert.equal(readFileSync(path.join(p.plugin, 'commands/ralph-loop.md'), 'utf8'), `${p.bin} ${h.root}/current/bin`);
});

test('without a list of what is carried, nothing is copied', async (t) => {
  const h = home(t);
  assert.deepEqual(await place({ extension: '/ext', root: h.root }), own('/ext'));
  assert.ok(!existsSync(h.root));
  assert.deepEqual(parseCarried(`${'a'.repeat(64)}  bin/../../x\n${'a'.repeat(64)}  /etc/x\nx  bin/y\n`), []);
});

test('uninstalling removes what was copied, but not while an editor has the extension', async (t) => {
  const h = home(t);
  const [one, two] = [h.unpack('1.0.0'), h.unpack('1.0.0', 'vscode')];
  for (const extension of [one, two]) await place({ extension, root: h.root });
  h.unpack('1.1.0');
  await uninstall(one, h.root, h.folder); // the old version after an update
  assert.equal((await editors(h.root)).length, 2);
  rmSync(path.join(path.dirname(one), 'cursor-ralph.cursor-ralph-1.1.0'), { recursive: true });
  await uninstall(one, h.root, h.folder);
  assert.ok(existsSync(path.join(h.root, 'current')), 'the other editor uses it');
  writeFileSync(path.join(path.dirname(two), '.obsolete'), '{"cursor-ralph.cursor-ralph-1.0.0":true}');
  assert.equal(remains(path.dirname(two), ''), false);
  await uninstall(two, h.root, h.folder);
  assert.deepEqual(readdirSync(path.join(h.folder, '.local', 'share')), []);
});

test('uninstalling takes the copied hooks out of hooks.json', async (t) => {
  const h = home(t);
  const one = h.unpack('1.0.0');
  const p = await place({ extension: one, root: h.root });
  chmodSync(path.join(p.bin, 'cursor-ralph'), 0o700);
  mkdirSync(path.join(h.folder, '.cursor'), { recursive: true });
  writeFileSync(path.join(h.folder, '.cursor', 'hooks.json'), JSON.stringify({ hooks: { stop: [{ command: `${p.stable}/cursor-ralph-hook` }] } }));
  const was = process.env['HOME'];
  process.env['HOME'] = h.folder;
  t.after(() => (process.env['HOME'] = was));
  await uninstall(one, h.root, h.folder);
  assert.equal(readFileSync(path.join(h.folder, 'ran'), 'utf8'), '1.0.0 uninstall\n');
  assert.ok(!existsSync(h.root));
});

test('where the copies are', () => {
  assert.equal(rootOf('linux', '/home/me', {}), '/home/me/.local/share/cursor-ralph/editor');
  assert.equal(rootOf('darwin', '/Users/me', {}), '/Users/me/Library/Application Support/cursor-ralph/editor');
});

test('what cursor-ralph remembers of an editor', () => {
  const product = (text: string): string => versionOf('/app', '1.105.1', (f) => (assert.equal(f, '/app/product.json'), text));
  assert.equal(product('{"version":"3.22.0","vscodeVersion":"1.105.1"}'), '3.22.0');
  assert.equal(product('{"version":"1.105.1"}'), '1.105.1');
  assert.equal(product('no JSON'), '1.105.1');
  const facts = { name: 'Cursor\u001b', version: '3.22.0', extension: '1.0.0', installed: { how: 'plugin', folder: '/p' } as const, commands: new Map([['composer.openComposer', 'ok'], ['workbench.action.focusStatusBar', 'ok']]), settings: { delivery: false } };
  assert.deepEqual(JSON.parse(report(facts)), { name: 'Cursor', version: '3.22.0', extension: '1.0.0', hooks: 'plugin', plugin: '/p', commands: { 'composer.openComposer': 'ok' }, settings: { delivery: false } });
});
