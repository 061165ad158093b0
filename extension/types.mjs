// Prints the types of what cursor-ralph prints, from docs/schema: node types.mjs >src/schema.d.ts
import { readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.join(import.meta.dirname, '../docs/schema');
const names = { loop: 'Loop', iteration: 'Iteration', event: 'Event' };
const read = (name) => JSON.parse(readFileSync(path.join(folder, `${name}.schema.json`), 'utf8'));
const upper = (s) => s[0].toUpperCase() + s.slice(1);

// type is the type of a schema. Its own definitions have the name of the file before theirs.
function type(s, file) {
  if (s.$ref?.startsWith('#/$defs/')) return names[file] + upper(s.$ref.slice(8));
  if (s.$ref) return s.$ref === 'history.schema.json' ? 'Iteration[]' : names[s.$ref.split('.')[0]];
  if ('const' in s) return JSON.stringify(s.const);
  if (s.enum) return s.enum.map((v) => JSON.stringify(v)).join(' | ');
  if (s.type === 'array') return `readonly (${type(s.items, file)})[]`;
  if (s.type === 'object') return s.properties ? object(s, file) : `Readonly<Record<string, ${type(s.additionalProperties, file)}>>`;
  return { integer: 'number' }[s.type] ?? s.type ?? 'unknown';
}

function object(s, file) {
  const required = s.required ?? [];
  const fields = Object.entries(s.properties).map(([name, of]) => `  readonly ${name}${required.includes(name) ? '' : '?'}: ${type(of, file)};`);
  return `{\n${fields.join('\n')}\n}`;
}

console.log('// Written by types.mjs from docs/schema.');
for (const [file, name] of Object.entries(names)) {
  const s = read(file);
  for (const [def, of] of Object.entries(s.$defs ?? {})) console.log(`export type ${name}${upper(def)} = ${type(of, file)};`);
  const cases = (s.oneOf ?? []).map((of) => `(${object(of, file)})`);
  console.log(`export type ${name} = ${object(s, file)}${cases.length > 0 ? ` & (${cases.join(' | ')})` : ''};`);
}
