// A place for the programs and the plugin folder that outlives an update: the
// editor deletes the extension's own folder, while hooks of running loops still
// use it. Each version is copied into a folder of its own, which is renamed into
// place when it is whole; `current` links to the one in use. What no editor uses
// is removed after a month.
import { createHash, randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, link, lstat, mkdir, open, readdir, readFile, readlink, rename, rm, stat, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface Placed {
  // bin and plugin are of this version; stable is the bin of whatever version is current.
  bin: string;
  plugin: string;
  stable: string;
  // others are the plugin folders of other versions.
  others: string[];
}

export interface Options {
  extension: string;
  root: string;
  now?: Date;
  platform?: NodeJS.Platform;
  // finish gets the copy before it is put into place.
  finish?(copy: string, placed: Omit<Placed, 'others'>): Promise<void>;
}

// rootOf is where the copies are, for a user: fixed, because the script that runs
// after uninstalling must find it too.
export function rootOf(platform: NodeJS.Platform, home: string, env: NodeJS.ProcessEnv): string {
  const base = (): string => {
    if (platform === 'win32') return env['LOCALAPPDATA'] || path.join(home, 'AppData', 'Local');
    return platform === 'darwin' ? path.join(home, 'Library', 'Application Support') : path.join(home, '.local', 'share');
  };
  return path.join(base(), 'cursor-ralph', 'editor');
}

// carried is the list of what a .vsix carries: a line for each file, as sha256sum
// prints it.
export const carried = 'carried';

interface File {
  sum: string;
  name: string;
}

export function parseCarried(text: string): File[] {
  return text.split('\n').flatMap((line) => {
    const m = /^([0-9a-f]{64}) [ *]((?:bin|plugin)\/[^\0]+)$/.exec(line);
    return m && !m[2]?.split('/').includes('..') ? [{ sum: m[1] ?? '', name: m[2] ?? '' }] : [];
  });
}

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const random = (): string => randomBytes(6).toString('hex');
const day = 24 * 60 * 60_000;
const unusedFor = 30 * day;
const unfinishedFor = day / 24;

// own returns what an extension has in its own folder, which an update removes.
export function own(extension: string): Placed {
  const bin = path.join(extension, 'bin');
  return { bin, plugin: path.join(extension, 'plugin'), stable: bin, others: [] };
}

// place copies what the extension carries, unless it is there already.
export async function place(o: Options): Promise<Placed> {
  const list = await readFile(path.join(o.extension, carried), 'utf8').catch(() => undefined);
  if (list === undefined) return own(o.extension); // not from a .vsix
  const files = parseCarried(list);
  const manifest = JSON.parse(await readFile(path.join(o.extension, 'package.json'), 'utf8')) as { version: string };
  const key = `${manifest.version}-${sha256(list).slice(0, 12)}`;
  await mkdir(path.join(o.root, 'editors'), { recursive: true, mode: 0o700 });
  if (!(await isWhole(path.join(o.root, key), files))) await copyIn(o, key, files);
  return inUse(o, key);
}

async function inUse(o: Options, key: string): Promise<Placed> {
  const now = o.now ?? new Date();
  const folder = path.join(o.root, key);
  await utimes(folder, now, now);
  await writeWhole(path.join(o.root, 'editors', editorName(o.extension)), JSON.stringify({ extensions: path.dirname(o.extension), key }));
  await point(o, await newest(o.root));
  await prune(o.root, now);
  const others = (await versions(o.root)).filter((k) => k !== key).map((k) => path.join(o.root, k, 'plugin'));
  return { ...at(o.root, key), others };
}

// touch keeps a copy from being removed. It changes nothing else: a newer version may
// be in use by now.
export async function touch(p: Placed, now = new Date()): Promise<void> {
  await utimes(path.dirname(p.bin), now, now).catch(() => undefined);
}

function at(root: string, key: string): Omit<Placed, 'others'> {
  const folder = path.join(root, key);
  return { bin: path.join(folder, 'bin'), plugin: path.join(folder, 'plugin'), stable: path.join(root, 'current', 'bin') };
}

// editorName is the name of the file that says which version an editor uses.
export function editorName(extension: string): string {
  return sha256(path.dirname(extension)).slice(0, 16);
}

async function isWhole(folder: string, files: readonly File[]): Promise<boolean> {
  const there = await Promise.all(files.map((f) => stat(path.join(folder, f.name)).catch(() => undefined)));
  return there.every((s) => s?.isFile() && s.size > 0);
}

// copyIn makes a copy beside its place and renames it. Another window may be
// faster: then its copy is used.
async function copyIn(o: Options, key: string, files: readonly File[]): Promise<void> {
  const fresh = path.join(o.root, `.new-${random()}`);
  try {
    for (const f of files) await copyOne(path.join(o.extension, f.name), path.join(fresh, f.name), f.sum);
    await o.finish?.(fresh, at(o.root, key));
    await putInPlace(o, fresh, key, files);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

const tries = 20;
const pause = 100; // ms

// putInPlace is patient: on Windows a scanner may hold what was just written or run.
async function putInPlace(o: Options, fresh: string, key: string, files: readonly File[]): Promise<void> {
  const target = path.join(o.root, key);
  for (let left = tries; ; left--) {
    try {
      return await rename(fresh, target);
    } catch (error) {
      if (await isWhole(target, files)) return; // of another window
      if (left === 0) throw error;
    }
    await discard(o.root, key); // one that is not whole
    await new Promise((resolve) => setTimeout(resolve, left === tries ? 0 : pause));
  }
}

// copyOne links a program, where that can be: it is large, and nobody changes it.
async function copyOne(from: string, to: string, sum: string): Promise<void> {
  const isProgram = path.basename(path.dirname(to)) === 'bin';
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
  await (isProgram ? link(from, to) : Promise.reject()).catch(() => copyFile(from, to, constants.COPYFILE_EXCL));
  if (isProgram) await chmod(to, 0o700);
  const f = await open(to, 'r+');
  try {
    await f.sync();
    if (sha256(await f.readFile()) !== sum) throw new Error(`${to} is not what the extension carries`);
  } finally {
    await f.close();
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  const fresh = `${file}.${random()}`;
  await writeFile(fresh, text, { mode: 0o600 });
  await rename(fresh, file);
}

// versions are the names of the copies.
async function versions(root: string): Promise<string[]> {
  return (await readdir(root)).filter((name) => /^[0-9]+\..*-[0-9a-f]{12}$/.test(name));
}

export interface Editor {
  file: string;
  extensions: string;
  key: string;
}

// editors are the editors that use the copies.
export async function editors(root: string): Promise<Editor[]> {
  const folder = path.join(root, 'editors');
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const found = await Promise.all(names.map((name) => readEditor(path.join(folder, name))));
  return found.flatMap((e) => (e ? [e] : []));
}

async function readEditor(file: string): Promise<Editor | undefined> {
  try {
    const o = JSON.parse(await readFile(file, 'utf8')) as { extensions?: unknown; key?: unknown };
    return typeof o.extensions === 'string' && typeof o.key === 'string' ? { file, extensions: o.extensions, key: o.key } : undefined;
  } catch {
    return undefined;
  }
}

// newest is the newest version that an editor uses: state that a newer one wrote
// is not for an older one.
async function newest(root: string): Promise<string> {
  const there = new Set(await versions(root));
  const keys = (await editors(root)).map((e) => e.key).filter((k) => there.has(k));
  return keys.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? '';
}

// point makes `current` lead to a version. On Windows a junction cannot replace
// another in one step: it is missing for a moment.
async function point(o: Options, key: string): Promise<void> {
  const link = path.join(o.root, 'current');
  const target = path.join(o.root, key);
  if (key === '' || path.resolve(o.root, await readlink(link).catch(() => '')) === target) return;
  const windows = (o.platform ?? process.platform) === 'win32';
  const fresh = path.join(o.root, `.new-${random()}`);
  await symlink(windows ? target : key, fresh, windows ? 'junction' : 'dir');
  if (windows) await unlink(link).catch(() => undefined);
  try {
    await rename(fresh, link);
  } catch (error) {
    await unlink(fresh).catch(() => undefined);
    await readlink(link).catch(() => Promise.reject(error)); // else another window was faster
  }
}

// prune removes versions that nobody has used for a month, and what a kill left.
async function prune(root: string, now: Date): Promise<void> {
  const used = new Set((await editors(root)).map((e) => e.key));
  const age = (s: Stats): number => now.getTime() - s.mtimeMs;
  const old = async (name: string, limit: number): Promise<boolean> => age(await lstat(path.join(root, name))) > limit;
  for (const name of await versions(root)) if (!used.has(name) && (await old(name, unusedFor).catch(() => false))) await discard(root, name);
  for (const name of await readdir(root)) if (/^\.(new|old)-/.test(name) && (await old(name, unfinishedFor).catch(() => false))) await discard(root, name);
}

// discard renames a folder away before it removes it: a folder whose program runs
// on Windows cannot be renamed, and stays whole.
async function discard(root: string, name: string): Promise<void> {
  const away = path.join(root, `.old-${random()}`);
  await rename(path.join(root, name), away)
    .then(() => rm(away, { recursive: true, force: true }))
    .catch(() => undefined);
}
