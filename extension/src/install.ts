// Brings the hooks and slash commands into Cursor: by registering the plugin
// folder that the extension carries, unless a hooks.json already has our hook.
import { existsSync } from 'node:fs';
import type { Cursor } from './cursor';
import { words } from './result';

// What cursor-ralph keeps of the extension: where its programs and its plugin folder are, and
// the hooks.json that has our hook.
export interface Kept {
  bin: string;
  plugin: string;
  hooks?: string;
}

export type Installed =
  | { how: 'hooks.json'; file: string }
  | { how: 'plugin'; folder: string }
  | { how: 'off' }
  | { how: 'nothing'; why: string };

// install registers the plugin folder where that is needed and possible.
export async function install(cursor: Cursor, kept: Kept, wanted: boolean): Promise<Installed> {
  if (kept.hooks !== undefined) return { how: 'hooks.json', file: kept.hooks };
  if (!wanted) return { how: 'off' };
  if (!existsSync(kept.plugin)) return { how: 'nothing', why: 'the extension has no plugin folder, or it is not known whether hooks are installed' };
  const r = await cursor.registerPlugin(kept.plugin);
  return r.kind === 'ok' ? { how: 'plugin', folder: kept.plugin } : { how: 'nothing', why: words(r) };
}
