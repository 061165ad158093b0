// The files of an iteration in the diff editor: as they were at its checkpoint,
// beside the one before. cursor-ralph reads them out of git.
import * as vscode from 'vscode';
import path from 'node:path';
import { validId, type Iteration, type Loop } from './loops';
import { head, plain } from './text';
import type { Program } from './program';

export const scheme = 'cursor-ralph-checkpoint';

const { t } = vscode.l10n;
const sides = ['before', 'after'] as const;

// uriOf names a file at a checkpoint. Its path ends like the file's, so that the
// editor knows the language.
export function uriOf(loop: string, n: number, side: (typeof sides)[number], file: string): vscode.Uri {
  return vscode.Uri.from({ scheme, path: '/' + file.replaceAll('\\', '/').replace(/^\/+/, ''), query: JSON.stringify({ loop, n, side, file }) });
}

// argumentsOf are the arguments of cursor-ralph; none for a URI that is not ours.
export function argumentsOf(query: string): string[] | undefined {
  try {
    const { loop, n, side, file } = JSON.parse(query) as Record<string, unknown>;
    if (!validId(loop) || !Number.isSafeInteger(n) || !(sides as readonly unknown[]).includes(side) || typeof file !== 'string') return undefined;
    return ['checkpoint-file', ...(side === 'before' ? ['--before'] : []), '--', loop, String(n), file];
  } catch {
    return undefined;
  }
}

export class Checkpoints implements vscode.TextDocumentContentProvider {
  constructor(private readonly program: () => Program | undefined) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const args = argumentsOf(uri.query);
    const out = args && (await this.program()?.run(args));
    if (!out || out.code !== 0) throw new Error(out?.what || t('this is not a file of a checkpoint'));
    return out.stdout.includes('\0') ? `${t('(a binary file)')}\n` : out.stdout;
  }
}

// opening is the command that shows a file of an iteration: its changes where there
// is a checkpoint, else the file as it is now.
export function opening(l: Loop, it: Iteration, file: string, now: vscode.Uri): vscode.Command {
  if (it.checkpoint === undefined) return { command: 'vscode.open', title: t('Open'), arguments: [now] };
  const [before, after] = [uriOf(l.id, it.checkpoint, 'before', file), uriOf(l.id, it.checkpoint, 'after', file)];
  return { command: 'vscode.diff', title: t('Show Changes'), arguments: [before, after, t('{0} (loop {1}, iteration {2})', head(plain(path.basename(file)), 60), l.id, it.iteration)] };
}
