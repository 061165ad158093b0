// The form that starts a loop: one question after the other, each may be left
// with Esc. The answers become arguments of `cursor-ralph start`.
import * as vscode from 'vscode';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { suggestVerify, type Files } from './suggest';
import { head, label, notice, plain } from './text';
import { validId } from './loops';
import type { Actions } from './actions';
import type { Cursor } from './cursor';
import type { Delivery } from './delivery';
import type { Outcome } from './program';

export interface Request {
  task: string;
  verify: string;
  iterations: number;
  duration: string;
  fresh: string; // iterations in one chat; empty for what the settings say
  without: string[]; // options of the settings that this loop does not have
}

const largest = 10_000;

// argumentsOf are the arguments of `cursor-ralph start`. The task comes last, after
// --, so that no task is taken for an option.
export function argumentsOf(r: Request): string[] {
  const args = ['start', `--max-iterations=${r.iterations}`];
  if (r.verify !== '') args.push(`--verify=${r.verify}`);
  if (r.duration !== '') args.push(`--max-duration=${r.duration}`);
  if (r.fresh !== '') args.push(`--fresh-chat=${r.fresh}`);
  return [...args, ...r.without.map((name) => `--no-${name}`), '--', r.task];
}

export function wrongIterations(text: string): string | undefined {
  return /^[0-9]{1,5}$/.test(text.trim()) && +text >= 1 && +text <= largest ? undefined : `A number from 1 to ${largest}`;
}

export function wrongFresh(text: string): string | undefined {
  return text.trim() === '0' ? undefined : wrongIterations(text) && `A number from 0 to ${largest}`;
}

export function wrongDuration(text: string): string | undefined {
  return text.trim() === '' || /^([0-9]+(\.[0-9]+)?(d|h|m|s))+$/.test(text.trim()) ? undefined : 'Such as 90m or 2h, or empty for no limit';
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
        const s = statSync(at(name));
        return s.isFile() && s.size <= biggest ? readFileSync(at(name), 'utf8') : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

const steps = 5;

async function ask(step: number, options: vscode.InputBoxOptions): Promise<string | undefined> {
  return vscode.window.showInputBox({ ...options, title: `Start a Ralph loop (${step}/${steps}): ${options.title}`, ignoreFocusOut: true });
}

async function askVerify(folder: string, usual: string): Promise<string | undefined> {
  const suggested = vscode.workspace.isTrusted ? suggestVerify(filesIn(folder)).filter((c) => c !== usual) : [];
  const found = [...(usual === '' ? [] : [usual]), ...suggested];
  const other = 'Another command…';
  const without = 'No command';
  const items: vscode.QuickPickItem[] = [
    ...found.map((command) => ({ label: label(command, 200), description: command === usual ? 'from your settings' : 'suggested from this folder' })),
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

export async function askAll(folder: string, usual: Defaults): Promise<Request | undefined> {
  const nonEmpty = (t: string): string | undefined => (t.trim() === '' ? 'What should the agent do?' : undefined);
  const task = await ask(1, { title: 'the task', prompt: 'The agent gets it word for word, in each iteration.', placeHolder: 'make the tests pass', validateInput: nonEmpty });
  if (task === undefined) return undefined;
  const verify = await askVerify(folder, usual.verify);
  if (verify === undefined) return undefined;
  const iterations = await ask(3, { title: 'iterations at most', value: usual.iterations, validateInput: wrongIterations });
  if (iterations === undefined) return undefined;
  const limit = await ask(4, { title: 'time at most', value: usual.duration, prompt: 'Such as 90m or 2h. Empty: no limit.', validateInput: wrongDuration });
  if (limit === undefined) return undefined;
  const fresh = await ask(5, { title: 'iterations in one chat', value: usual.fresh, prompt: 'Then the loop goes on in a new chat. 0: never.', validateInput: wrongFresh });
  if (fresh === undefined) return undefined;
  const duration = limit.trim();
  const without = [...(verify === '' && usual.verify !== '' ? ['verify'] : []), ...(duration === '' && usual.duration !== '' ? ['max-duration'] : [])];
  return { task, verify, iterations: +iterations, duration, fresh: fresh.trim() === usual.fresh ? '' : fresh.trim(), without };
}

export interface Defaults {
  iterations: string;
  duration: string;
  verify: string;
  fresh: string;
}

// defaultsOf are the user's own, as `cursor-ralph config` has them.
async function defaultsOf(actions: Actions, folder: string): Promise<Defaults> {
  const out = await actions.quietly(['config', '--json'], '', folder);
  return parseDefaults(out?.code === 0 ? out.stdout : '');
}

export function parseDefaults(json: string): Defaults {
  const found = new Map<string, string>();
  try {
    const all = (JSON.parse(json) as { settings?: { name?: unknown; value?: unknown }[] }).settings ?? [];
    for (const s of all) if (typeof s.name === 'string' && typeof s.value === 'string') found.set(s.name, s.value);
  } catch {
    // the built-in ones
  }
  const usual = { iterations: found.get('loop.max-iterations') ?? '', duration: found.get('loop.max-duration') ?? '', verify: found.get('loop.verify') ?? '', fresh: found.get('loop.fresh-chat') ?? '' };
  return { ...usual, iterations: usual.iterations === '' ? '20' : usual.iterations, fresh: usual.fresh === '' ? '0' : usual.fresh };
}

// start asks, has cursor-ralph make the loop, and begins it.
export async function start(actions: Actions, delivery: Delivery): Promise<void> {
  if (!(await actions.cursor.isCursor())) return void vscode.window.showInformationMessage(actions.cursor.needed('A loop in a chat'));
  const folder = await actions.folder();
  if (folder === undefined) return void vscode.window.showInformationMessage('A loop works in a folder: open one first.');
  const request = await askAll(folder, await defaultsOf(actions, folder));
  if (!request) return;
  const out = await actions.run(argumentsOf(request), { cwd: folder });
  if (out?.code === 0) await begin(out, actions.cursor, delivery);
}

// begin offers what sends the loop's first line: the current chat, a new one, or the user.
async function begin(out: Outcome, cursor: Cursor, delivery: Delivery): Promise<void> {
  const line = lineOf(out.stdout);
  if (line === undefined) return void vscode.window.showInformationMessage(notice(`The loop is pending. ${head(out.stdout, 300)}`, 400));
  const chat = await currentChat(cursor);
  const canCreate = await cursor.has('composer.createNew');
  const [current, fresh, copy] = ['Begin in the Current Chat', 'Begin in a New Chat', 'Copy Line'];
  const buttons = [...(chat === undefined ? [] : [current]), ...(canCreate ? [fresh] : []), copy];
  const chosen = await vscode.window.showInformationMessage(`The loop is pending. It begins when this line is sent in a chat: ${line}`, ...buttons);
  if (chosen === copy) await vscode.env.clipboard.writeText(line);
  if (chosen === fresh) await newChat(line, delivery);
  if (chosen === current && chat !== undefined) await inChat(chat, line, delivery);
}

async function currentChat(cursor: Cursor): Promise<string | undefined> {
  const shown = await cursor.shownChats();
  const id = shown.kind === 'ok' ? shown.value[0] : undefined;
  return validId(id) ? id : undefined;
}

// inChat puts the line into a chat's input. The user sends it: cursor-ralph presses keys only for a loop that has a chat.
async function inChat(chat: string, line: string, delivery: Delivery): Promise<void> {
  const r = (await delivery.alone(() => delivery.deliver(chat, line, () => undefined, async () => true))) ?? busy;
  if (r.ok) return void vscode.window.showInformationMessage('The line is in the chat: press Enter there to begin the loop.');
  await byHand(line, `The line could not be put into the chat: ${plain(r.reason)}.`);
}

// newChat sends the line once. Only the loop's own events prove that it arrived.
async function newChat(line: string, delivery: Delivery): Promise<void> {
  const r = (await delivery.alone(() => delivery.create(line, () => undefined, async () => true))) ?? busy;
  if (!r.ok) await byHand(line, `Cursor did not open a chat: ${plain(r.reason)}.`);
}

const busy = { ok: false, reason: 'the line of another loop is on its way to a chat' } as const;

async function byHand(line: string, why: string): Promise<void> {
  await vscode.env.clipboard.writeText(line);
  void vscode.window.showWarningMessage(notice(`${why} The line is on the clipboard: paste it into a chat.`, 400));
}
