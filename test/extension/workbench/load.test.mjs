// What the extension costs where much happens: 200 events a second about 100 loops of its window.
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Workbench } from './workbench.mjs';

const seconds = 5;
let wb, w;

// A cursor-ralph with nothing but events.
const busy = (loop) => `#!${process.execPath}
if (process.argv[2] !== 'events') process.exit(1);
const line = (n) => JSON.stringify({ schema: 1, type: 'loop', cursor: 'c' + n, loop: { ...${JSON.stringify(loop)}, id: 'k' + (1000 + (n % 100)), iteration: n, prompt: 'x'.repeat(1000) } }) + '\\n';
let n = 0;
const due = () => Math.floor(((Date.now() - began) * 200) / 1000);
const began = Date.now();
setInterval(() => { let text = ''; while (n < due()) text += line(n++); process.stdout.write(text); }, 25);
process.stdin.on('end', () => process.exit()).resume();
`;

before(async () => {
  wb = await Workbench.start();
  wb.loop('chat-1');
  writeFileSync(wb.at('busy'), busy({ ...(await wb.status('chat-1')), here: true }));
  await wb.ralph('cancel', 'chat-1');
  chmodSync(wb.at('busy'), 0o755);
  w = await wb.open();
}, { timeout: 600_000 });

after(() => wb?.stop());

// spent is the share of a core that the extension host uses for a while.
async function spent() {
  const ticks = () => readFileSync(`/proc/${w.driver.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).reduce((sum, n) => sum + Number(n), 0);
  const before = ticks();
  await sleep(seconds * 1000);
  return (ticks() - before) / 100 / seconds;
}

const resident = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${w.driver.pid}/status`, 'utf8'))[1]) / 1024;

test('at 200 events a second and 100 loops: under 5 % of a core, and 60 MB more', async (t) => {
  await w.command('cursorRalph.show'); // so that the view is drawn too
  const [idle, memory] = [await spent(), resident()];
  await w.run(`await vscode.workspace.getConfiguration('cursorRalph').update('program', ${JSON.stringify(wb.at('busy'))}, true)`);
  await w.wantChip(/^100 loops/);
  // Where the processors are shared, some time is spent on what others do: the best of a few.
  const shares = [];
  do shares.push((await spent()) - idle);
  while (shares.at(-1) >= 0.05 && shares.length < 5);
  const more = resident() - memory;
  t.diagnostic(`${shares.map((s) => (s * 100).toFixed(1))} % of a core over the ${(idle * 100).toFixed(1)} % of an idle one, ${more.toFixed(0)} MB more`);
  assert.ok(shares.at(-1) < 0.05, `${shares} of a core`);
  assert.ok(more < 60, `${more} MB more`);
});
