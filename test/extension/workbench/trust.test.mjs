// A window in Restricted Mode: the user has not said yet that the folder's authors can be trusted.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Workbench } from './workbench.mjs';

let wb, w;

before(async () => {
  wb = await Workbench.start({ trusted: false });
  w = await wb.open({ announced: false });
}, { timeout: 600_000 });

after(() => wb?.stop());

test('nothing is started in Restricted Mode, and no line is delivered', async () => {
  assert.equal(await w.run('return vscode.workspace.isTrusted'), false);
  for (const [command, what] of [['start', 'A loop needs a trusted folder'], ['loopMode', 'Loop mode needs a trusted folder']]) {
    w.command(`cursorRalph.${command}`).catch(() => undefined); // it waits for the notice until the window closes
    await w.notice(what).waitFor();
  }
  assert.equal((await wb.ralph('list')).stdout.trim(), 'no loops');
  assert.match((await wb.ralph('loop-mode', 'status')).stdout, /off/);
  assert.deepEqual(readdirSync(wb.at('ralph')).filter((name) => name.includes('rendezvous')).flatMap((name) => readdirSync(wb.at('ralph', name))), []);
  wb.loop('chat-1', { status: 'paused', pause_reason: 'user' });
  await w.wantChip(/Pausing/);
  await w.command('notifications.clearAll');
  await w.notice('A loop needs a trusted folder').waitFor({ state: 'detached' });
  w.command('cursorRalph.resume').catch(() => undefined);
  await w.notice('A loop needs a trusted folder').waitFor();
  assert.equal((await wb.status('chat-1')).status, 'paused');
});
