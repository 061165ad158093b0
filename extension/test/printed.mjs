// Prints what the real cursor-ralph prints about some loops, for the unit tests: node printed.mjs PROGRAM >generated/printed.json
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = mkdtempSync(path.join(tmpdir(), 'printed-'));
const at = (...parts) => path.join(root, ...parts);
for (const dir of ['repo', 'other', 'tmp', 'tmp/cursor-ralph-pending', 'state', 'state/loops']) mkdirSync(at(dir), { mode: 0o700 });
const env = { PATH: '/usr/bin:/bin', HOME: root, TZ: 'UTC', CURSOR_RALPH_DIR: at('tmp'), CURSOR_RALPH_STATE_DIR: at('state'), CURSOR_RALPH_NO_NOTIFY: '1' };
const ago = (s) => new Date(Date.now() - s * 1000).toISOString();
const hostile = '<img src=x onerror=alert(1)> [click](command:workbench.action.quit) $(sync~spin) \u202Etxt.exe\u0007 👩\u200d💻';

const history = [
  { iteration: 1, started_at: ago(600), ended_at: ago(540), duration_seconds: 60, promise: 'none', files: ['a.go'], tools: { Write: 1 }, checkpoint: 1, action: 'followup' },
  { iteration: 2, started_at: ago(540), ended_at: ago(500), duration_seconds: 40, promise: 'refused', refused: 'the verification failed', files: ['a.go', 'b/c d.go'], tools: { Write: 2 }, action: 'followup',
    verification: { id: 'x', passed: false, exit: 1, seconds: 2, gate: 'verify', output: '--- FAIL: TestX\n' } },
];
const states = {
  running: { history },
  waiting: { status: 'waiting' },
  newchat: { status: 'waiting', fresh_chat: 2, delivery: { id: '', way: 'new-chat', opened_at: '2026-10-01T12:00:00Z' } },
  paused: { status: 'paused', pause_reason: 'user', idle: true },
  failed: { status: 'paused', pause_reason: 'error', idle: true },
  hostile: { prompt: hostile },
  elsewhere: { workspace: at('other') },
  cancelled: { status: 'CANCELLED', ended_at: ago(60) },
  accepted: { status: 'PROMISE_ACCEPTED', ended_at: ago(30) },
  limit: { status: 'MAX_ITERATIONS_REACHED', iterations: 20, ended_at: ago(90) },
};
const letters = 'ghjkmnpqrstvwxyz';
const write = (file, state) => writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
Object.entries(states).forEach(([name, more], i) => {
  const state = {
    prompt: `${name}: make the tests pass`, max_iterations: 20, completion_promise: 'COMPLETE', iterations: 2, session_iterations: 2, stop: false, last_output: '', conversation_id: `chat-${name}`,
    id: `${letters[i]}7f2a`, workspace: at('repo'), started_at: ago(700 + i), last_event_at: ago(5), status: 'running', ...more,
  };
  write(state.ended_at ? at('state/loops', `${state.id}.json`) : at('tmp', `cursor-ralph-loop-chat-${name}.json`), state);
});
write(at('tmp/cursor-ralph-pending', `${Date.now()}-17.json`), { prompt: 'pending: make the tests pass', max_iterations: 20, completion_promise: 'COMPLETE', iterations: 0, session_iterations: 0, stop: false, last_output: '', id: 'z7f2a', workspace: at('repo'), created_at: ago(10) });

const run = (...args) => execFileSync(process.argv[2], args, { env, cwd: at('repo'), input: '', encoding: 'utf8', maxBuffer: 1 << 26 });
const lines = execFileSync('/bin/sh', ['-c', `"$0" events --json --folder "$1" | while IFS= read -r line; do printf '%s\\n' "$line"; case $line in *'"type":"ready"'*) exit;; esac; done`, process.argv[2], at('repo')], { env, encoding: 'utf8' });
const loops = Object.fromEntries(lines.trim().split('\n').map((l) => JSON.parse(l)).flatMap((e) => (e.type === 'loop' ? [[e.loop.prompt === hostile ? 'hostile' : e.loop.prompt.split(':')[0], e.loop]] : [])));
const wanted = [...Object.keys(states), 'pending'].filter((name) => !loops[name]);
if (wanted.length > 0) throw new Error(`not printed: ${wanted}`);
console.log(JSON.stringify({ loops, history: JSON.parse(run('history', 'chat-running', '--json')), page: run('report', 'chat-running', '--html'), form: run('form'), repo: at('repo') }, null, 1));
rmSync(root, { recursive: true });
