// Starts code-server, a real VS Code workbench, with our extension from its .vsix and a stand-in for Cursor, and opens its
// windows in Chromium. Nothing leaves the loopback. In the environment: WORKBENCH, VSIX, INPUTS, SIMULATED and perhaps SHOTS.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import path from 'node:path';
import { Window } from './window.mjs';

const dist = process.env.WORKBENCH; // what scripts/workbench/install prints
const { chromium } = createRequire(path.join(dist, 'package.json'))('playwright-core');
const entry = path.join(dist, 'node_modules/code-server/out/node/entry.js');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// until waits for a condition and returns its value.
export async function until(what, condition, ms = 120_000) {
  let last;
  for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) {
    try {
      last = await condition();
      if (last) return last;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`timed out after ${ms} ms: ${typeof what === 'function' ? await what() : what} (last: ${last})`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const settings = {
  'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off', 'extensions.autoUpdate': false, 'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true, 'update.mode': 'none', 'git.enabled': false,
  'workbench.enableExperiments': false, 'chat.disableAIFeatures': true, 'workbench.secondarySideBar.defaultVisibility': 'hidden',
};

const flags = [
  '--no-sandbox', '--test-type', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--blink-settings=javaScriptCanAccessClipboard=true,DOMPasteAllowed=true', // VS Code's paste command pastes, as in Electron
  '--allow-pre-commit-input', '--disable-backgrounding-occluded-windows', '--disable-renderer-backgrounding', '--disable-background-timer-throttling',
];

// Workbench is a server with its browser, in a folder of its own.
export class Workbench {
  windows = [];

  // start starts it. env is more of the environment; prepare may put files into the home folder first; where the folder is not
  // trusted, windows are in Restricted Mode.
  static async start({ env = {}, prepare = () => undefined, trusted = true } = {}) {
    const w = new Workbench();
    w.trusted = trusted;
    w.root = mkdtempSync('/tmp/wb-');
    process.on('exit', () => w.end());
    w.layOut();
    w.secret = randomBytes(16).toString('hex');
    w.env = { ...w.environment(), ...env };
    prepare(w);
    w.install();
    await w.serve();
    return w;
  }

  at(...parts) {
    return path.join(this.root, ...parts);
  }

  layOut() {
    for (const dir of ['bin', 'ws', 'data/User', 'exts', 'home', 'ralph', 'state', 'drivers']) mkdirSync(this.at(dir), { recursive: true, mode: 0o700 });
    writeFileSync(this.at('bin/go'), '#!/bin/sh\nexit 1\n', { mode: 0o700 }); // the verification that a Go module is offered
    writeFileSync(this.at('home/.profile'), `PATH="${this.at('bin')}:$PATH"\n`); // shells that log in begin with another PATH
    writeFileSync(this.at('ws/main.go'), 'package main\n');
    writeFileSync(this.at('ws/go.mod'), 'module example\n');
    writeFileSync(this.at('config.yaml'), 'auth: none\n');
    writeFileSync(this.at('data/User/settings.json'), JSON.stringify({ ...settings, 'security.workspace.trust.enabled': !this.trusted, 'security.workspace.trust.startupPrompt': 'never' }));
  }

  environment() {
    return {
      PATH: `${this.at('bin')}:${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: this.at('home'), SHELL: '/bin/bash', LANG: 'C.UTF-8', TMPDIR: process.env.TMPDIR ?? '/tmp',
      CURSOR_RALPH_DIR: this.at('ralph'), CURSOR_RALPH_STATE_DIR: this.at('state'), CURSOR_RALPH_NO_NOTIFY: '1', CURSOR_RALPH_NO_WATCHER: '1',
      EXTENSIONS_GALLERY: '{}', WORKBENCH_DRIVERS: this.at('drivers'), WORKBENCH_SECRET: this.secret, WORKBENCH_INPUTS: process.env.INPUTS, WORKBENCH_CURSOR: process.env.SIMULATED,
    };
  }

  arguments() {
    return [entry, '--config', this.at('config.yaml'), '--user-data-dir', this.at('data'), '--extensions-dir', this.at('exts')];
  }

  install() {
    execFileSync(process.execPath, [...this.arguments(), '--install-extension', process.env.VSIX], { env: this.env, stdio: 'pipe' });
    const ours = readdirSync(this.at('exts')).find((name) => name.startsWith('cursor-ralph.'));
    this.program = this.at('exts', ours, 'bin/cursor-ralph');
    // extensions.json lists the installed ones; without it all folders are scanned.
    for (const name of ['cursor', 'driver']) cpSync(path.join(import.meta.dirname, name), this.at('exts', `test.${name}-0.0.1`), { recursive: true });
    rmSync(this.at('exts/extensions.json'));
  }

  async serve() {
    const port = await freePort();
    const more = ['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check', ...(this.trusted ? ['--disable-workspace-trust'] : [])];
    this.server = spawn(process.execPath, [...this.arguments(), ...more], { env: this.env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const log = createWriteStream(this.at('server.log'));
    this.server.stdout.pipe(log);
    this.server.stderr.pipe(log);
    this.url = `http://127.0.0.1:${port}/`;
    await until('the server', async () => (await fetch(this.url + 'healthz')).ok);
  }

  // open opens a window: of the folder, unless query says otherwise. It waits until our extension runs in it, and has
  // announced it where it does that.
  async open({ query = { folder: this.at('ws') }, open = [this.at('ws')], headless = true, announced = true } = {}) {
    this.browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless, args: flags, env: this.env });
    const context = await this.browser.newContext({ viewport: headless ? { width: 1400, height: 900 } : null, permissions: ['clipboard-read', 'clipboard-write'] });
    context.setDefaultTimeout(120_000); // a busy machine draws slowly
    const page = await context.newPage();
    await page.route((u) => u.hostname !== '127.0.0.1' && u.protocol.startsWith('http'), (route) => route.abort());
    const before = new Set(this.drivers().map((d) => d.pid));
    const find = () => this.drivers().find((d) => !before.has(d.pid) && d.open.join() === open.join());
    let driver;
    for (let patience = 30_000; !driver; patience *= 2) { // now and then a window comes up without an extension host
      await page.goto(`${this.url}?${new URLSearchParams(query)}`);
      await page.waitForSelector('.monaco-workbench .part.statusbar', { timeout: 180_000 });
      driver = await until('the extension host', find, patience).catch((error) => {
        if (patience > 100_000) throw error;
      });
    }
    const window = new Window(this, page, driver);
    this.windows.push(window);
    await until('the extension', () => window.run('return vscode.extensions.getExtension("cursor-ralph.cursor-ralph").isActive'), 180_000);
    if (announced) await until('its rendezvous', () => readdirSync(this.at('ralph/cursor-ralph-rendezvous')).some((name) => name.startsWith(`${driver.pid}-`) && name.endsWith('.json')));
    return window;
  }

  drivers() {
    const folder = this.at('drivers');
    return readdirSync(folder).filter((name) => name.endsWith('.json')).map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')));
  }

  // ralph runs the carried cursor-ralph, as a user in a terminal would.
  ralph(...args) {
    return new Promise((resolve) =>
      execFile(this.program, args, { env: this.env, cwd: this.at('ws') }, (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr })));
  }

  async status(chat) {
    return JSON.parse((await this.ralph('status', chat, '--json')).stdout).loops[0];
  }

  // lineOf is the line that continues the loop of a chat. It has the loop's own id.
  async lineOf(chat) {
    return `/ralph-loop --continue ${(await this.status(chat)).id}`;
  }

  // loop writes a state file, as the hook or a person does.
  loop(chat, more = {}) {
    const now = Date.now();
    const state = {
      prompt: 'make the tests pass', max_iterations: 20, completion_promise: 'COMPLETE', iterations: 2, session_iterations: 2, stop: false, last_output: '', conversation_id: chat,
      workspace: this.at('ws'), started_at: new Date(now - 60_000).toISOString(), last_event_at: new Date(now).toISOString(), ...more,
    };
    writeFileSync(this.at('ralph', `cursor-ralph-loop-${chat}.json`), JSON.stringify(state), { mode: 0o600 });
  }

  end() {
    try {
      process.kill(-this.server.pid, 'SIGKILL');
    } catch {
      // it has ended
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  async stop() {
    await this.browser?.close();
    if (this.server?.exitCode === null) process.kill(-this.server.pid, 'SIGTERM');
    await Promise.race([once(this.server, 'exit'), sleep(3000)]);
    this.end();
  }
}
