// The editor runs this with Node, without an extension host, after the extension was
// uninstalled: package.json names it. cursor-ralph says what can go; its own copy is
// there, and a program of it that ran could not be removed on Windows.
import { spawnSync } from 'node:child_process';
import { rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const extension = path.dirname(__dirname);
const program = path.join(extension, 'bin', process.platform === 'win32' ? 'cursor-ralph.exe' : 'cursor-ralph');
const out = spawnSync(program, ['editor', '--leave', extension], { timeout: 20_000, windowsHide: true, encoding: 'utf8' });
const copy = (out.stdout ?? '').trim();
if (path.isAbsolute(copy)) {
  rmSync(copy, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  try {
    rmdirSync(path.dirname(copy));
  } catch {
    // something else is in it
  }
}
