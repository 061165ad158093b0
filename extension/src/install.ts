// Brings the hooks and slash commands into Cursor: by registering the plugin
// folder that the extension carries, unless hooks.json already has our hook.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Cursor } from './cursor';
import { words } from './result';

export interface Files {
  read(file: string): string | undefined;
  exists(file: string): boolean;
}

const biggest = 4 << 20;

export const disk: Files = {
  exists: existsSync,
  read: (file) => {
    try {
      return statSync(file).size > biggest ? undefined : readFileSync(file, 'utf8');
    } catch {
      return undefined;
    }
  },
};

// hookFiles are where Cursor reads hooks from.
export function hookFiles(home: string, folders: readonly string[], system = systemFile(process.platform)): string[] {
  return [...(home ? [path.join(home, '.cursor', 'hooks.json')] : []), ...folders.map((f) => path.join(f, '.cursor', 'hooks.json')), ...(system ? [system] : [])];
}

function systemFile(platform: NodeJS.Platform): string {
  if (platform === 'win32') return 'C:\\ProgramData\\Cursor\\hooks.json';
  return platform === 'darwin' ? '/Library/Application Support/Cursor/hooks.json' : '/etc/cursor/hooks.json';
}

// installedIn returns the hooks.json that has our hook, by its text: a file that
// does not parse may still be read by some Cursor.
export function installedIn(files: readonly string[], d: Files): string | undefined {
  return files.find((f) => /cursor-ralph-hook/.test(withoutComments(d.read(f) ?? '')));
}

function withoutComments(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (m) => (m.startsWith('"') ? m : ''));
}

export type Installed =
  | { how: 'hooks.json'; file: string }
  | { how: 'plugin'; folder: string }
  | { how: 'off' }
  | { how: 'nothing'; why: string };

// install registers the plugin folder where that is needed and possible.
export async function install(o: { cursor: Cursor; plugin: string; wanted: boolean; files: readonly string[]; disk?: Files }): Promise<Installed> {
  const d = o.disk ?? disk;
  const file = installedIn(o.files, d);
  if (file !== undefined) return { how: 'hooks.json', file };
  if (!o.wanted) return { how: 'off' };
  if (!d.exists(path.join(o.plugin, '.cursor-plugin', 'plugin.json'))) return { how: 'nothing', why: 'this build of the extension carries no plugin' };
  const r = await o.cursor.registerPlugin(o.plugin);
  return r.kind === 'ok' ? { how: 'plugin', folder: o.plugin } : { how: 'nothing', why: words(r) };
}
