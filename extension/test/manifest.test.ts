import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import manifest from '../package.json';

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

test('nothing from npm is part of the extension', () => {
  assert.ok(!('dependencies' in manifest));
});

test('no setting of a workspace decides which program runs', () => {
  const { properties } = manifest.contributes.configuration;
  for (const name of ['cursorRalph.program', 'cursorRalph.delivery', 'cursorRalph.registerPlugin'] as const) assert.equal(properties[name].scope, 'machine');
});
