// Suggests commands that verify a promise, from files of a workspace. Pure: it is
// given names and contents.

export interface Files {
  has(name: string): boolean;
  read(name: string): string | undefined;
}

export function suggestVerify(files: Files): string[] {
  const found = [...fromMakefile(files), ...fromPackageJson(files), ...fromMarkers(files)];
  return [...new Set(found)];
}

function fromMakefile(files: Files): string[] {
  const text = files.read('Makefile') ?? files.read('makefile') ?? files.read('GNUmakefile') ?? '';
  return ['test', 'check'].filter((target) => new RegExp(`^${target}\\s*:(?!=)`, 'm').test(text)).map((t) => `make ${t}`);
}

// The name of a script becomes part of a command line: only plain ones do.
function fromPackageJson(files: Files): string[] {
  let scripts: Record<string, unknown> = {};
  try {
    const parsed = JSON.parse(files.read('package.json') ?? '{}') as { scripts?: unknown };
    if (typeof parsed.scripts === 'object' && parsed.scripts !== null) scripts = parsed.scripts as Record<string, unknown>;
  } catch {
    return [];
  }
  const runner = files.has('pnpm-lock.yaml') ? 'pnpm' : files.has('yarn.lock') ? 'yarn' : files.has('bun.lock') || files.has('bun.lockb') ? 'bun run' : 'npm';
  const real = (name: string): boolean => typeof scripts[name] === 'string' && !(scripts[name] as string).includes('no test specified');
  const commands = real('test') ? [`${runner} test`] : [];
  for (const name of ['check', 'lint', 'typecheck']) if (real(name)) commands.push(`${runner === 'npm' ? 'npm run' : runner} ${name}`);
  return commands;
}

const markers: [file: string, command: string][] = [
  ['go.mod', 'go test ./...'],
  ['Cargo.toml', 'cargo test'],
  ['pyproject.toml', 'pytest'],
  ['pytest.ini', 'pytest'],
  ['tox.ini', 'tox'],
  ['pom.xml', 'mvn -q test'],
  ['gradlew', './gradlew test'],
  ['mix.exs', 'mix test'],
  ['Gemfile', 'bundle exec rake test'],
  ['composer.json', 'composer test'],
  ['deno.json', 'deno test'],
];

function fromMarkers(files: Files): string[] {
  return markers.filter(([file]) => files.has(file)).map(([, command]) => command);
}
