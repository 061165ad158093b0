// What cursor-ralph remembers of an editor: which private commands worked, by
// version. The extension itself holds no state. Pure.
import path from 'node:path';
import type { Installed } from './install';
import { plain } from './text';

export interface Facts {
  name: string;
  version: string;
  extension: string;
  installed: Installed;
  commands: ReadonlyMap<string, string>;
  settings: Record<string, unknown>;
}

// isCursors reports whether a command is one of Cursor's own.
const isCursors = (command: string): boolean => /^(composer|glass|vscode\.cursor)\./.test(command);

// report is the input of `cursor-ralph editor`.
export function report(f: Facts): string {
  const plugin = f.installed.how === 'plugin' ? { plugin: f.installed.folder } : {};
  const { name, version, extension } = f;
  return JSON.stringify({ name: known(name), version: known(version), extension, hooks: f.installed.how, ...plugin, commands: Object.fromEntries([...f.commands].filter(([command]) => isCursors(command))), settings: f.settings });
}

const known = (text: string): string => plain(text) || 'unknown';

// versionOf is the editor's own version: vscode.version is that of the VS Code it is
// based on, and product.json has both.
export function versionOf(appRoot: string, vscode: string, read: (file: string) => string): string {
  try {
    const o = JSON.parse(read(path.join(appRoot, 'product.json'))) as { version?: unknown; vscodeVersion?: unknown };
    return typeof o.version === 'string' && typeof o.vscodeVersion === 'string' ? o.version : vscode;
  } catch {
    return vscode;
  }
}
