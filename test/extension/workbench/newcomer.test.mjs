// A newcomer's way from the installed .vsix to an accepted loop with one refusal: with the mouse and the keyboard alone.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { until, Workbench } from './workbench.mjs';

let wb, w, page;

before(async () => {
  // The verification that the form offers fails when it is tried, and after the first promise.
  wb = await Workbench.start({ prepare: (b) => writeFileSync(b.at('bin/go'), `#!/bin/sh\necho x >>${b.at('tried')}\n[ $(wc -l <${b.at('tried')}) -gt 2 ]\n`) });
  w = await wb.open();
  page = w.page;
}, { timeout: 600_000 });

after(() => wb?.stop());

test('three clicks and no box', async () => {
  let [clicks, boxes] = [0, 0];
  const click = async (locator) => {
    await locator.click();
    clicks++;
    boxes += (await page.locator('.quick-input-widget:visible, .monaco-dialog-box:visible').count()) > 0;
  };
  await w.cursor('agent', 2);
  await click(page.locator('.part.activitybar .action-label[aria-label^="Cursor Ralph"]'));
  await click(page.locator('.pane-body .welcome-view-content .monaco-button', { hasText: 'Start a Loop' }));
  await page.locator('.codelens-decoration', { hasText: 'Start in a new chat' }).waitFor();
  await page.keyboard.insertText('make the tests pass');
  await until('the task', async () => /make the tests pass/.test(await w.run('return vscode.window.activeTextEditor.document.getText()')));
  await click(page.locator('.codelens-decoration a', { hasText: 'Start in a new chat' }));
  const chat = await until('the chat', async () => (await w.cursor('seen')).submitted[0]?.chat);
  await w.cursor('release', chat); // the agent has worked for a while
  await w.wantChip(/Accepted/i, 180_000);
  const l = await wb.status(chat);
  assert.deepEqual([l.status, l.iterations], ['PROMISE_ACCEPTED', 3]);
  await page.locator('.pane-body .monaco-list-row', { hasText: 'promise accepted' }).first().waitFor();
  const { stdout } = await wb.ralph('log', chat);
  assert.match(stdout, /refused/);
  assert.deepEqual([clicks, boxes], [3, 0]);
});
