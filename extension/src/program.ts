// Finds and runs cursor-ralph: always by a path and a list of arguments, never
// through a shell.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { plain } from './text';

export interface Outcome {
  code: number;
  stdout: string;
  // What failed and what to do, from "cursor-ralph: …" and "cursor-ralph: hint: …".
  what: string;
  hint: string;
}

export interface Program {
  path: string;
  run(args: readonly string[], options?: { cwd?: string | undefined; input?: string; ms?: number; signal?: AbortSignal | undefined }): Promise<Outcome>;
  stream(args: readonly string[]): ChildProcess;
}

export interface Places {
  setting: string;
  carried: string;
  PATH: string;
  windows: boolean;
}

function executable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// find returns the path of a program: the one in the settings alone if there is
// one, else the carried one, else the one on the PATH. Relative folders of the
// PATH are skipped: they may lie in a workspace.
export function find(p: Places, name = 'cursor-ralph', exists = executable): string | undefined {
  if (p.setting !== '') return path.isAbsolute(p.setting) && exists(p.setting) ? p.setting : undefined;
  const file = p.windows ? `${name}.exe` : name;
  const folders = [p.carried, ...p.PATH.split(p.windows ? ';' : ':')];
  return folders.filter((f) => path.isAbsolute(f)).map((f) => path.join(f, file)).find(exists);
}

// complaint returns why cursor-ralph failed, which is the last that it wrote to
// standard error before its hints: above it may be what it was doing.
export function complaint(stderr: string): { what: string; hint: string } {
  const what: string[] = [];
  const hint: string[] = [];
  for (const line of stderr.split('\n')) {
    const rest = /^(?:cursor-ralph: (hint: )?|(  )(?=\S))(.*)$/.exec(line);
    if (!rest || (rest[2] && hint.length === 0)) continue; // a hint goes on with two spaces
    (rest[1] || rest[2] ? hint : what).push(plain(rest[3] ?? ''));
  }
  return { what: what.at(-1) ?? plain(stderr.slice(0, 300)), hint: hint.join(' ') };
}

const outputLimit = 16 << 20;

export function program(file: string, env: NodeJS.ProcessEnv): Program {
  return {
    path: file,
    run: (args, options = {}) =>
      new Promise((resolve) => {
        const child = execFile(
          file,
          [...args],
          { cwd: options.cwd, env, timeout: options.ms ?? 20_000, killSignal: 'SIGKILL', ...(options.signal ? { signal: options.signal } : {}), maxBuffer: outputLimit, windowsHide: true },
          (error, stdout, stderr) => {
            const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
            const said = complaint(stderr);
            if (error && said.what === '') said.what = error.killed ? 'it did not end in time' : plain(error.message);
            resolve({ code, stdout, ...said });
          },
        );
        child.stdin?.on('error', () => undefined); // it ended without reading
        child.stdin?.end(options.input ?? '');
      }),
    stream: (args) => spawn(file, [...args], { env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true }),
  };
}
