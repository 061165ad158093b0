// The form that starts a loop: one question after the other, each may be left
// with Esc. The answers become arguments of `cursor-ralph start`.
import * as vscode from 'vscode';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { suggestVerify, type Files } from './suggest';
import { head, label, notice } from './text';
import { validId } from './loops';
import type { Actions } from './actions';
import type { Cursor } from './cursor';
import type { Outcome } from './program';

export interface Request {
  task: string;
  verify: string;
  iterations: number;
  duration: string;
}

const largest = 10_000;

// argumentsOf are the arguments of `cursor-ralph start`. The task comes last, after
// --, so that no task is taken for an option.
export function argumentsOf(r: Request): string[] {
  const args = ['start', `--max-iterations=${r.iterations}`];
  if (r.verify !== '') args.push(`--verify=${r.verify}`);
  if (r.duration !== '') args.push(`--max-duration=${r.duration}`);
  return [...args, '--', r.task];
}

export function wrongIterations(text: string): string | undefined {
  return /^[0-9]{1,5}$/.test(text.trim()) && +text >= 1 && +text <= largest ? undefined : `A number from 1 to ${largest}`;
}

export function wrongDuration(text: string): string | undefined {
  return text.trim() === '' || /^([0-9]+(\.[0-9]+)?(h|m|s))+$/.test(text.trim()) ? undefined : 'Such as 90m or 2h, or empty for no limit';
}

// lineOf is the line that begins the loop when it is sent in a chat.
export function lineOf(stdout: string): string | undefined {
  const id = /\/ralph-loop --continue ([A-Za-z0-9._-]+)/.exec(stdout)?.[1];
  return validId(id) ? `/ralph-loop --continue ${id}` : undefined;
}

const biggest = 1 << 20;

function filesIn(folder: string): Files {
  const at = (name: string): string => path.join(folder, name);
  return {
    has: (name) => existsSync(at(name)),
    read: (name) => {
      try {
        return statSync(at(name)).size > biggest ? undefined : readFileSync(at(name), 'utf8');
      } catch {
        return undefined;
      }
    },
  };
}

const steps = 4;

async function ask(step: number, options: vscode.InputBoxOptions): Promise<string | undefined> {
  return vscode.window.showInputBox({ ...options, title: `Start a Ralph loop (${step}/${steps}): ${options.title}`, ignoreFocusOut: true });
}

async function askVerify(folder: string): Promise<string | undefined> {
  const found = vscode.workspace.isTrusted ? suggestVerify(filesIn(folder)) : [];
  const other = 'Another command…';
  const without = 'No command';
  const items: vscode.QuickPickItem[] = [
    ...found.map((command) => ({ label: label(command, 200), description: 'suggested from this folder' })),
    { label: other },
    { label: without, description: "the agent's word is enough" },
  ];
  const title = `Start a Ralph loop (2/${steps}): the command that must succeed before the loop ends`;
  const chosen = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true });
  if (!chosen) return undefined;
  if (chosen.label === without) return '';
  if (chosen.label !== other) return found[items.indexOf(chosen)];
  return ask(2, { title: 'verify command', placeHolder: 'make test' });
}

export async function askAll(folder: string): Promise<Request | undefined> {
  const nonEmpty = (t: string): string | undefined => (t.trim() === '' ? 'What should the agent do?' : undefined);
  const task = await ask(1, { title: 'the task', prompt: 'The agent gets it word for word, in each iteration.', placeHolder: 'make the tests pass', validateInput: nonEmpty });
  if (task === undefined) return undefined;
  const verify = await askVerify(folder);
  if (verify === undefined) return undefined;
  const iterations = await ask(3, { title: 'iterations at most', value: '20', validateInput: wrongIterations });
  if (iterations === undefined) return undefined;
  const limit = await ask(4, { title: 'time at most', prompt: 'Such as 90m or 2h. Empty: no limit.', validateInput: wrongDuration });
  return limit === undefined ? undefined : { task, verify, iterations: +iterations, duration: limit.trim() };
}

export async function start(actions: Actions, cursor: Cursor): Promise<void> {
  const folder = await actions.folder();
  if (folder === undefined) return void vscode.window.showInformationMessage('A loop works in a folder: open one first.');
  const request = await askAll(folder);
  if (!request) return;
  const out = await actions.run(argumentsOf(request), folder);
  if (out?.code === 0) await begin(out, cursor);
}

// begin offers what sends the loop's first line: a new chat, or the user.
async function begin(out: Outcome, cursor: Cursor): Promise<void> {
  const line = lineOf(out.stdout);
  if (line === undefined) return void vscode.window.showInformationMessage(notice(`The loop is pending. ${head(out.stdout, 300)}`, 400));
  const canCreate = await cursor.has('composer.createNew');
  const [fresh, copy] = ['Begin in a New Chat', 'Copy Line'];
  const chosen = await vscode.window.showInformationMessage(`The loop is pending. It begins when this line is sent in a chat: ${line}`, ...(canCreate ? [fresh] : []), copy);
  if (chosen === copy) await vscode.env.clipboard.writeText(line);
  if (chosen === fresh) await newChat(line, cursor);
}

// newChat sends the line once. Only the loop's own events prove that it arrived.
async function newChat(line: string, cursor: Cursor): Promise<void> {
  const r = await cursor.newChat(line);
  if (r.kind === 'missing' || r.kind === 'failed') {
    await vscode.env.clipboard.writeText(line);
    void vscode.window.showWarningMessage('Cursor did not open a chat. The line is on the clipboard: paste it into a chat.');
  }
}
