// In Restricted Mode nothing starts: the agent and a verify command would run what the folder
// says, before the user has said that its authors can be trusted.
import * as vscode from 'vscode';

const { t } = vscode.l10n;

// mayStart asks for trust first, where it is missing.
export async function mayStart(what: string): Promise<boolean> {
  if (vscode.workspace.isTrusted) return true;
  const manage = t('Manage Workspace Trust');
  const chosen = await vscode.window.showWarningMessage(t('{0} needs a trusted folder, and this window is in Restricted Mode. Nothing was started.', what), manage);
  if (chosen === manage) await vscode.commands.executeCommand('workbench.trust.manage');
  return false;
}
