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
      const s = statSync(file); // of a repository it may be anything
      return s.isFile() && s.size <= biggest ? readFileSync(file, 'utf8') : undefined;
    } catch {
      return undefined;
    }
  },
};

// hookFiles are where Cursor reads hooks from, ours at least.
export function hookFiles(home: string, folders: readonly string[], system = systemFile(process.platform)): string[] {
  const user = path.join(home, '.cursor');
  const ofUser = [path.join(user, 'hooks.json'), path.join(user, 'plugins', 'local', 'cursor-ralph', 'hooks', 'hooks.json')];
  return [...(home ? ofUser : []), ...folders.map((f) => path.join(f, '.cursor', 'hooks.json')), ...(system ? [system] : [])];
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

// withoutComments takes each beginning as a match, so that it never has to try again.
function withoutComments(text: string): string {
  return text.replace(/"(?:[^"\\]|\\[\s\S]?)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (m) => (m.startsWith('"') ? m : ''));
}

export type Installed =
  | { how: 'hooks.json'; file: string }
  | { how: 'plugin'; folder: string }
  | { how: 'off' }
  | { how: 'nothing'; why: string };

// install registers the plugin folder where that is needed and possible, and takes
// back those of other versions, so that no event starts two hooks.
export async function install(o: { cursor: Cursor; plugin: string; others?: readonly string[]; wanted: boolean; files: readonly string[]; disk?: Files }): Promise<Installed> {
  const d = o.disk ?? disk;
  const file = installedIn(o.files, d);
  if (file !== undefined) return { how: 'hooks.json', file };
  if (!o.wanted) return { how: 'off' };
  if (!d.exists(path.join(o.plugin, '.cursor-plugin', 'plugin.json'))) return { how: 'nothing', why: 'this build of the extension carries no plugin' };
  const r = await o.cursor.registerPlugin(o.plugin);
  if (r.kind !== 'ok') return { how: 'nothing', why: words(r) };
  for (const other of o.others ?? []) await o.cursor.unregisterPlugin(other);
  return { how: 'plugin', folder: o.plugin };
}
