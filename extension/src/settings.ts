import * as vscode from 'vscode';
import type { Level } from './notices';

export interface Settings {
  program: string;
  notices: Level;
  statusBar: boolean;
  delivery: boolean;
  registerPlugin: boolean;
}

export const section = 'cursorRalph';

const oneOf = <T extends string>(v: unknown, all: readonly T[], byDefault: T): T => (all.includes(v as T) ? (v as T) : byDefault);

// settings reads all settings. What a person wrote may have any type.
export function settings(): Settings {
  const c = vscode.workspace.getConfiguration(section);
  const program = c.get<unknown>('program');
  return {
    program: typeof program === 'string' ? program.trim() : '',
    notices: oneOf(c.get<unknown>('notices'), ['all', 'attention', 'none'], 'all'),
    statusBar: c.get<unknown>('statusBar') !== false,
    delivery: c.get<unknown>('delivery') !== false,
    registerPlugin: c.get<unknown>('registerPlugin') !== false,
  };
}

// changed are the settings that somebody has set, for `cursor-ralph config`.
export function changed(): Record<string, unknown> {
  const c = vscode.workspace.getConfiguration(section);
  return Object.fromEntries(Object.entries(settings()).filter(([name]) => isSet(c.inspect(name))));
}

function isSet(i: ReturnType<vscode.WorkspaceConfiguration['inspect']>): boolean {
  return [i?.globalValue, i?.workspaceValue, i?.workspaceFolderValue].some((v) => v !== undefined);
}

// folders are this window's folders on this machine.
export function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((f) => f.uri.scheme === 'file').map((f) => f.uri.fsPath);
}
