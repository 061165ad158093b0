// Starts code-server, a real VS Code workbench, with our extension from its .vsix and a stand-in for Cursor, and opens it
// in a headless Chromium. Nothing leaves the loopback.
import { spawn, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, createWriteStream, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import path from 'node:path';

const dist = process.env.WORKBENCH; // what scripts/workbench/install prints
const { chromium } = createRequire(path.join(dist, 'package.json'))('playwright-core');
const entry = path.join(dist, 'node_modules/code-server/out/node/entry.js');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// until waits for a condition and returns its value.
export async function until(what, condition, ms = 20_000) {
  let last;
  for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) {
    try {
      last = await condition();
      if (last) return last;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`timed out after ${ms} ms: ${what} (last: ${last})`);
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
  'extensions.ignoreRecommendations': true, 'update.mode': 'none', 'security.workspace.trust.enabled': false, 'git.enabled': false,
  'workbench.enableExperiments': false, 'chat.disableAIFeatures': true, 'workbench.secondarySideBar.defaultVisibility': 'hidden',
};

// start returns a running server. root is an empty folder.
export async function start(root, vsix, inputs) {
  for (const dir of ['ws', 'data/User', 'exts', 'home', 'ralph', 'state']) mkdirSync(path.join(root, dir), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(root, 'ws/main.go'), 'package main\n');
  writeFileSync(path.join(root, 'ws/go.mod'), 'module example\n');
  writeFileSync(path.join(root, 'config.yaml'), 'auth: none\n');
  writeFileSync(path.join(root, 'data/User/settings.json'), JSON.stringify(settings));
  const [port, driver, secret] = [await freePort(), await freePort(), randomBytes(16).toString('hex')];
  const env = {
    PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: path.join(root, 'home'), LANG: 'C.UTF-8', TMPDIR: process.env.TMPDIR ?? '/tmp',
    CURSOR_RALPH_DIR: path.join(root, 'ralph'), CURSOR_RALPH_STATE_DIR: path.join(root, 'state'), CURSOR_RALPH_NO_NOTIFY: '1', CURSOR_RALPH_NO_WATCHER: '1',
    EXTENSIONS_GALLERY: '{}', WORKBENCH_DRIVER_PORT: String(driver), WORKBENCH_DRIVER_SECRET: secret, WORKBENCH_INPUTS: inputs,
  };
  const common = ['--config', path.join(root, 'config.yaml'), '--user-data-dir', path.join(root, 'data'), '--extensions-dir', path.join(root, 'exts')];
  execFileSync(process.execPath, [entry, ...common, '--install-extension', vsix], { env, stdio: 'pipe' });
  const ours = path.join(root, 'exts', readdirSync(path.join(root, 'exts')).find((name) => name.startsWith('cursor-ralph.')));
  env.WORKBENCH_HOOK = path.join(ours, 'bin/cursor-ralph-hook');
  // extensions.json lists the installed ones; without it all folders are scanned.
  for (const name of ['cursor', 'driver']) cpSync(path.join(import.meta.dirname, name), path.join(root, 'exts', `test.${name}-0.0.1`), { recursive: true });
  execFileSync('rm', [path.join(root, 'exts/extensions.json')]);
  const server = spawn(process.execPath, [entry, ...common, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', path.join(root, 'ws')], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(path.join(root, 'server.log'));
  server.stdout.pipe(log);
  server.stderr.pipe(log);
  const stop = async () => {
    if (server.exitCode === null) process.kill(-server.pid, 'SIGTERM');
    await Promise.race([once(server, 'exit'), sleep(3000)]);
    try {
      process.kill(-server.pid, 'SIGKILL');
    } catch {
      // all of it has ended
    }
  };
  process.on('exit', () => {
    try {
      process.kill(-server.pid, 'SIGKILL');
    } catch {
      // it has ended
    }
  });
  const url = `http://127.0.0.1:${port}/`;
  await until('the server', async () => (await fetch(url + 'healthz')).ok);
  const run = async (js) => {
    const answer = await (await fetch(`http://127.0.0.1:${driver}/`, { method: 'POST', headers: { 'x-secret': secret }, body: JSON.stringify({ js }) })).json();
    if (!answer.ok) throw new Error(answer.error);
    return answer.value;
  };
  const command = (id, ...args) => run(`return await vscode.commands.executeCommand(${[id, ...args].map((a) => JSON.stringify(a)).join(', ')})`);
  const ralph = path.join(ours, 'bin/cursor-ralph');
  return { root, url, env, ralph, run, command, stop };
}

export async function open(url) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await page.route((u) => u.hostname !== '127.0.0.1' && u.protocol.startsWith('http'), (route) => route.abort());
  await page.goto(url);
  await page.waitForSelector('.monaco-workbench .part.statusbar', { timeout: 60_000 });
  return { browser, page };
}

// frame returns the frame of a webview, by something that is in it.
export function frame(page, selector) {
  return until(`a webview with ${selector}`, async () => {
    for (const f of page.frames()) if (f !== page.mainFrame() && (await f.$(selector).catch(() => null))) return f;
    return undefined;
  });
}
