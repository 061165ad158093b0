// Where a loop is started: a Markdown document that cursor-ralph writes and reads, with the
// options above the task. It has a button for each way to begin.
import * as vscode from 'vscode';
import { head, notice, plain } from './text';
import { validId } from './loops';
import { mayStart } from './trust';
import type { Actions } from './actions';
import { createNew, type Cursor } from './cursor';
import type { Delivery } from './delivery';

const { t } = vscode.l10n;

export type Way = 'new' | 'current' | 'terminal';

// lineOf is the line that begins the loop when it is sent in a chat.
export function lineOf(stdout: string): string | undefined {
  const id = /\/ralph-loop --continue ([A-Za-z0-9._-]+)/.exec(stdout)?.[1];
  return validId(id) ? `/ralph-loop --continue ${id}` : undefined;
}

const key = 'cursorRalph.forms';
const longest = 15 * 60_000; // for the first try of a verification

export class Start implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly parts: vscode.Disposable[];
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(
    private readonly actions: Actions,
    private readonly cursor: Cursor,
    private readonly delivery: Delivery,
    private readonly memory: vscode.Memento, // a document outlives a reload of the window
  ) {
    this.parts = [
      vscode.languages.registerCodeLensProvider({ scheme: 'untitled', language: 'markdown' }, this),
      vscode.workspace.onDidCloseTextDocument((d) => this.folderOf(d) !== undefined && this.remember(d.uri, undefined)),
    ];
    this.announce();
  }

  // open writes a new document, once the folder may be worked in.
  open = async (): Promise<void> => {
    if (!(await mayStart(t('A loop')))) return;
    const folder = await this.actions.folder();
    if (folder === undefined) return void vscode.window.showInformationMessage(t('A loop works in a folder: open one first.'));
    const out = await this.actions.run(['form', ...(await this.forRun())], { cwd: folder });
    if (out?.code !== 0) return;
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: out.stdout });
    this.remember(document.uri, folder);
    const end = document.positionAt(out.stdout.length);
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(end, end) });
  };

  private async forRun(): Promise<string[]> {
    return (await this.cursor.isCursor()) ? [] : ['--run'];
  }

  // start has cursor-ralph start the loop of the document in front.
  start = async (way?: unknown): Promise<void> => {
    const document = vscode.window.activeTextEditor?.document;
    const folder = document && this.folderOf(document);
    if (!document || folder === undefined) return this.open();
    if (!(await mayStart(t('A loop')))) return;
    const run = await this.forRun();
    const read = await this.actions.run(['form', '--read', ...run], { cwd: folder, input: document.getText() });
    if (read?.code !== 0) return;
    const { args } = JSON.parse(read.stdout) as { args: string[] };
    if (run.length > 0) return this.close(document).then(() => this.actions.inTerminal(args, folder));
    const out = await this.patiently(args, folder);
    if (out?.code !== 0) return;
    await this.close(document);
    const line = lineOf(out.stdout);
    if (line === undefined) return void vscode.window.showInformationMessage(notice(t('The loop is pending. {0}', head(out.stdout, 300))));
    await this.begin(line, way === 'current' ? 'current' : (await this.cursor.has(createNew)) ? 'new' : undefined);
  };

  // patiently waits while cursor-ralph tries a verification, until the user has enough of it.
  private patiently(args: readonly string[], cwd: string): Thenable<Awaited<ReturnType<Actions['run']>>> {
    const options = { location: vscode.ProgressLocation.Notification, title: t('Starting a loop'), cancellable: true };
    return vscode.window.withProgress(options, (_, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      return this.actions.run(args, { cwd, ms: longest, signal: stop.signal });
    });
  }

  // close closes the document without asking whether to save it.
  private async close(document: vscode.TextDocument): Promise<void> {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    this.remember(document.uri, undefined);
  }

  // begin sends a loop's first line, or asks where.
  begin = async (line: string, way?: Way): Promise<void> => {
    const chat = await this.currentChat();
    const items: { label: string; way: Way | 'copy' }[] = [
      ...((await this.cursor.has(createNew)) ? [{ label: t('In a new chat'), way: 'new' as const }] : []),
      ...(chat === undefined ? [] : [{ label: t('In the current chat'), way: 'current' as const }]),
      { label: t('Copy the line, to send it in a chat'), way: 'copy' },
    ];
    const chosen = way ?? (await this.actions.boxes.pick(items, { title: t('Where does the loop begin?') }))?.way;
    if (chosen === 'new') await this.newChat(line);
    else if (chosen === 'current' && chat !== undefined) await this.inChat(chat, line);
    else if (chosen !== undefined) await byHand(line, t('The loop begins when you send its line.'));
  };

  private async currentChat(): Promise<string | undefined> {
    const shown = await this.cursor.shownChats();
    const id = shown.kind === 'ok' ? shown.value[0] : undefined;
    return validId(id) ? id : undefined;
  }

  // inChat puts the line into a chat's input. The user sends it: cursor-ralph presses keys only for a loop that has a chat.
  private async inChat(chat: string, line: string): Promise<void> {
    const r = (await this.delivery.alone(() => this.delivery.deliver(chat, line))) ?? busy();
    if (!r.ok) return byHand(line, t('The line could not be put into the chat: {0}.', plain(r.reason)));
    const copy = t('Copy Line'); // nothing shows whether a paste has arrived
    const chosen = await vscode.window.showInformationMessage(t('Press Enter in the chat to begin the loop. If its line is not in the input, copy it.'), copy);
    if (chosen === copy) await vscode.env.clipboard.writeText(line);
  }

  // newChat sends the line once. Only the loop's own events prove that it arrived.
  private async newChat(line: string): Promise<void> {
    const r = (await this.delivery.alone(() => this.delivery.begin(line))) ?? busy();
    if (!r.ok) await byHand(line, t('No chat was opened: {0}.', plain(r.reason)));
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (this.folderOf(document) === undefined) return [];
    const task = document.getText().split(/\r?\n/).indexOf('---', 1) + 1; // where the user writes
    const at = new vscode.Range(task, 0, task, 0);
    const lens = (title: string, way: Way): vscode.CodeLens => new vscode.CodeLens(at, { title: `$(play) ${title}`, command: 'cursorRalph.startForm', arguments: [way] });
    if (!(await this.cursor.isCursor())) return [lens(t('Start in a terminal'), 'terminal')];
    return [lens(t('Start in a new chat'), 'new'), ...((await this.currentChat()) === undefined ? [] : [lens(t('Start in the current chat'), 'current')])];
  }

  private forms(): Record<string, string> {
    return this.memory.get(key, {});
  }

  private folderOf(document: vscode.TextDocument): string | undefined {
    return this.forms()[document.uri.toString()];
  }

  private remember(uri: vscode.Uri, folder: string | undefined): void {
    const { [uri.toString()]: _, ...others } = this.forms();
    void this.memory.update(key, folder === undefined ? others : { ...others, [uri.toString()]: folder });
    this.announce();
  }

  // announce has package.json show the button.
  private announce(): void {
    void vscode.commands.executeCommand('setContext', key, Object.keys(this.forms()));
    this.changed.fire();
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }
}

const busy = (): { ok: false; reason: string } => ({ ok: false, reason: t('the line of another loop is on its way to a chat') });

async function byHand(line: string, why: string): Promise<void> {
  await vscode.env.clipboard.writeText(line);
  void vscode.window.showWarningMessage(notice(t('{0} It is on the clipboard: paste it into a chat. {1}', why, line)));
}
