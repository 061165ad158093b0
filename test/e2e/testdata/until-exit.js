// Starts a hook many times, several at once, and takes of each what was read
// when it exits, as Cursor's hook runner does. Its event loop is busy: in each
// turn one callback blocks it for a random time, so that hooks write and exit
// between the moment it looks and the moment it reaps them.
//
// A loss does not count, and the hook is started again, if the machine kept this
// process from running for so long that the loop was blocked for longer than the
// job says.
//
//   node until-exit.js JOB.json    prints {"runs": N, "lost": N, "again": N, "first": TEXT}
//
// JOB.json: {"args": [...], "env": {...}, "cwd": PATH, "inputs": [OBJECT...], "atOnce": N, "busy": MILLISECONDS}
'use strict';
const { spawn } = require('node:child_process');
const { readFileSync } = require('node:fs');

const job = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const cell = new Int32Array(new SharedArrayBuffer(4));
let turn = 0; // when this turn of the event loop began; 0 is not yet

function block() {
  if (turn !== 0) return;
  turn = Date.now();
  setImmediate(() => { turn = 0; });
  Atomics.wait(cell, 0, 0, Math.random() * job.busy);
}

const starved = () => Date.now() - turn > job.busy + 20;

let running = 0, lost = 0, runs = 0, again = 0, first = '';

function start() {
  while (running < job.atOnce && job.inputs.length > 0) hook(job.inputs.shift());
  if (running === 0) console.log(JSON.stringify({ runs, lost, again, first }));
}

function hook(input) {
  running++;
  const child = spawn(job.args[0], job.args.slice(1), { cwd: job.cwd, env: job.env, stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (data) => { text += data; block(); });
  child.stdin.on('error', () => {}); // a hook that reads nothing shows in its answer
  child.stdin.end(JSON.stringify(input));
  child.on('error', (error) => { console.error(error.message); process.exit(1); });
  child.on('exit', (code) => {
    const missing = code !== 0 || !text.includes('followup_message');
    const excused = missing && turn !== 0 && starved();
    block();
    running--;
    if (excused) {
      again++;
      job.inputs.push({ ...input, loop_count: input.loop_count + 1, generation_id: `${input.generation_id}+` });
    } else {
      runs++;
      if (missing) lost++;
      if (missing) first = first || `exit ${code}: ${JSON.stringify(text)}`;
    }
    start();
  });
}

start();
