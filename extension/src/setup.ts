// Brings what the extension carries to where it is used: the programs and the
// plugin folder to a place that outlives an update, the hooks into Cursor, the
// programs onto the PATH of the terminals. It reports to cursor-ralph what worked.
import * as vscode from 'vscode';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Actions } from './actions';
import type { Cursor } from './cursor';
import { install, type Installed, type Kept } from './install';
import { program } from './program';
import { changed, folders } from './settings';
import { notice } from './text';

const { t } = vscode.l10n;
const patience = 10_000; // a home folder may be on a network
const settle = 2000; // what is learned together is reported together
const exe = process.platform === 'win32' ? '.exe' : '';

export class Setup implements vscode.Disposable {
  private kept: Kept;
  private installed: Installed | undefined;
  private reporting: NodeJS.Timeout | undefined;
  private warned = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly cursor: Cursor,
    private readonly actions: Actions,
    private readonly output: vscode.OutputChannel,
  ) {
    this.kept = { bin: path.join(context.extensionPath, 'bin'), plugin: '' }; // until it is known whether hooks are installed
    cursor.learned = () => this.report();
  }

  // bin is the folder of the programs.
  get bin(): string {
    return this.kept.bin;
  }

  async begin(): Promise<void> {
    const own = program(path.join(this.kept.bin, `cursor-ralph${exe}`), process.env);
    const out = await own.run(['editor', '--keep', this.context.extensionPath, ...folders().flatMap((f) => ['--folder', f])], { ms: patience });
    if (out.code === 0) this.kept = JSON.parse(out.stdout) as Kept;
    if (out.what !== '') this.output.appendLine(`editor: ${out.what}`);
    this.offerProgram();
  }

  // offerProgram has the terminals of this window find the carried cursor-ralph:
  // slash commands run it in the agent's shell.
  private offerProgram(): void {
    const variables = this.context.environmentVariableCollection;
    variables.clear();
    variables.description = t('cursor-ralph, which comes with the extension');
    if (existsSync(this.kept.bin)) variables.append('PATH', path.delimiter + this.kept.bin);
  }

  async install(wanted: boolean): Promise<void> {
    this.installed = await install(this.cursor, this.kept, wanted);
    this.output.appendLine(`hooks: ${sayInstalled(this.installed)}`);
    await this.send(this.installed);
    if (this.installed.how === 'nothing' && (await this.cursor.isCursor())) void this.offerInstall();
  }

  private async offerInstall(): Promise<void> {
    const asked = 'cursorRalph.offeredInstall';
    if (this.context.globalState.get(asked) || !this.actions.hasProgram()) return;
    await this.context.globalState.update(asked, true);
    const yes = t('Install');
    const chosen = await vscode.window.showInformationMessage(t('cursor-ralph is not installed in this Cursor yet: its hooks and slash commands are missing.'), yes);
    if (chosen === yes) await this.installByProgram();
  }

  async installByProgram(): Promise<void> {
    if (this.installed?.how === 'plugin') return void vscode.window.showInformationMessage(t('The hooks and slash commands are installed already: this extension has registered them.'));
    if (!(await this.cursor.isCursor())) return void vscode.window.showInformationMessage(this.cursor.needed(t('Installing hooks')));
    await this.runInstall();
  }

  private async runInstall(): Promise<void> {
    const out = await this.actions.run(['install']);
    if (out?.code !== 0) return;
    this.output.appendLine(out.stdout.trimEnd());
    void vscode.window.showInformationMessage(t("cursor-ralph's hooks and slash commands are installed."));
  }

  // report tells cursor-ralph what this editor can do; doctor shows it.
  report(): void {
    this.reporting ??= setTimeout(() => {
      this.reporting = undefined;
      if (this.installed) void this.send(this.installed);
    }, settle);
  }

  private async send(installed: Installed): Promise<void> {
    const { extension } = this.context;
    const known = { name: vscode.env.appName, version: vscode.version, app: vscode.env.appRoot, extension: (extension.packageJSON as { version?: unknown }).version };
    const plugin = installed.how === 'plugin' ? { plugin: installed.folder } : {};
    const input = JSON.stringify({ ...known, hooks: installed.how, ...plugin, commands: Object.fromEntries(this.cursor.worked), settings: changed() });
    const out = await this.actions.quietly(['editor'], input);
    if (out && out.code !== 0) this.output.appendLine(`editor: ${out.what}`);
    else if (out && out.stdout.trim() !== '') void this.warn(out.stdout);
  }

  // warn tells the user once why the hooks do not run.
  private async warn(why: string): Promise<void> {
    if (this.warned) return;
    this.warned = true;
    const yes = t('Install Hooks');
    const chosen = await vscode.window.showWarningMessage(notice(why), yes);
    if (chosen === yes) await this.runInstall();
  }

  dispose(): void {
    this.cursor.learned = () => undefined;
    clearTimeout(this.reporting);
  }
}

function sayInstalled(i: Installed): string {
  switch (i.how) {
    case 'hooks.json':
      return `already in ${i.file}`;
    case 'plugin':
      return `registered ${i.folder}`;
    case 'off':
      return 'not registered: cursorRalph.registerPlugin is off';
    case 'nothing':
      return `not registered: ${i.why}`;
  }
}
