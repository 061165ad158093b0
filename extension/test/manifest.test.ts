import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import manifest from '../package.json';
import words from '../package.nls.json';

// The tests run in the extension's folder.
const source = readFileSync('src/extension.ts', 'utf8');
const registered = [...(/const all: Record<[\s\S]*?\{\n([\s\S]*?)\n    \};/.exec(source)?.[1] ?? '').matchAll(/^ +([a-zA-Z]+):/gm)].map((m) => `cursorRalph.${m[1]}`);

test('every command is registered, and in the command palette', () => {
  const declared = manifest.contributes.commands.map((c) => c.command);
  assert.ok(registered.length > 10);
  assert.deepEqual([...registered].sort(), [...declared].sort());
  assert.ok(!('commandPalette' in manifest.contributes.menus), 'nothing is hidden from the palette');
  for (const used of Object.values(manifest.contributes.menus).flat()) assert.ok(declared.includes(used.command), used.command);
});

// What the editor shows of the manifest stands in package.nls.json, and what the code shows goes through l10n.
test('every word can be translated', () => {
  const used = [...JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g)].map((m) => m[1]);
  assert.deepEqual([...new Set(used)].sort(), Object.keys(words).sort());
  const titles = [...JSON.stringify(manifest.contributes).matchAll(/"(?:title|description|markdownDescription|contents|name)":"([^"%][^"]*)"/g)].map((m) => m[1]);
  assert.deepEqual([...new Set(titles)], ['Cursor Ralph'], 'the name alone is the same everywhere');
  for (const file of readdirSync('src')) {
    const bare = [...readFileSync(`src/${file}`, 'utf8').matchAll(/(?:show(?:Information|Warning|Error)Message\(|notice\(|setStatusBarMessage\(|needed\(|mayStart\(|title: |prompt: |placeHolder: )(['"][^'"]{4,})/g)].map((m) => m[1]);
    assert.deepEqual(bare, [], file);
  }
});

test('nothing from npm is part of the extension', () => {
  assert.ok(!('dependencies' in manifest));
});

test('no setting of a workspace decides which program runs', () => {
  const { properties } = manifest.contributes.configuration;
  for (const name of ['cursorRalph.program', 'cursorRalph.delivery', 'cursorRalph.registerPlugin'] as const) assert.equal(properties[name].scope, 'machine');
});

test('Open VSX has what it shows of an extension', () => {
  const { publisher, name, license, repository, homepage, bugs, icon, categories, description } = manifest;
  assert.deepEqual([publisher, name, license, icon], ['cursor-ralph', 'cursor-ralph', 'MIT', 'media/icon.png']);
  assert.match([repository.url, homepage, bugs.url].join(' '), /^(https:\/\/github\.com\/cursor-ralph\/cursor-ralph\S* ?){3}$/);
  assert.ok(categories.length > 0 && description.length < 200);
  const png = readFileSync(icon);
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [256, 256]);
  for (const file of ['README.md', 'LICENSE', '../CHANGELOG.md']) assert.ok(readFileSync(file).length > 500, file);
});

test('uninstalling runs a script that is built', () => {
  assert.equal(manifest.scripts['vscode:uninstall'], 'node ./dist/uninstalled.js');
  assert.match(readFileSync('../scripts/extension', 'utf8'), /src\/uninstalled\.ts .*\/uninstalled\.js/);
});
