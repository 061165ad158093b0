// Removes what place.ts has copied, after the extension was uninstalled, once no
// editor uses it.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { editorName, editors } from './place';

const name = 'cursor-ralph.cursor-ralph';

// remains reports whether a folder of extensions still has our extension, besides a
// given one: an update, not an uninstallation. The editor lists in .obsolete what
// it will delete.
export function remains(extensions: string, besides: string): boolean {
  let obsolete: Record<string, unknown> = {};
  try {
    obsolete = JSON.parse(readFileSync(path.join(extensions, '.obsolete'), 'utf8')) as Record<string, unknown>;
  } catch {
    // nothing is
  }
  const ours = (entry: string): boolean => entry === name || entry.startsWith(`${name}-`);
  try {
    return readdirSync(extensions).some((entry) => ours(entry) && entry !== besides && obsolete[entry] !== true);
  } catch {
    return false;
  }
}

export async function uninstall(extension: string, root: string, home: string): Promise<void> {
  const extensions = path.dirname(extension);
  if (remains(extensions, path.basename(extension))) return;
  await rm(path.join(root, 'editors', editorName(extension)), { force: true });
  for (const e of await editors(root)) if (remains(e.extensions, '')) return; // another editor has it
  await leaveCursor(root, home);
  await remove(root);
  await rmdir(path.dirname(root)).catch(() => undefined); // unless something else is in it
}

// leaveCursor has cursor-ralph remove its hooks from hooks.json if they are the
// copied ones.
async function leaveCursor(root: string, home: string): Promise<void> {
  const hooks = await readFile(path.join(home, '.cursor', 'hooks.json'), 'utf8').catch(() => '');
  const named = [root, JSON.stringify(root).slice(1, -1)].some((text) => hooks.includes(text));
  if (named) spawnSync(path.join(root, 'current', 'bin', process.platform === 'win32' ? 'cursor-ralph.exe' : 'cursor-ralph'), ['uninstall'], { timeout: 20_000, windowsHide: true });
}

async function remove(root: string): Promise<void> {
  const away = `${root}.removed-${process.pid}`;
  await rename(root, away).catch(() => undefined);
  for (const folder of [away, root]) await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => undefined);
}
