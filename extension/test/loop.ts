import type { Memory } from '../src/delivery';
import type { Iteration, Loop } from '../src/loops';
import printed from '../generated/printed.json';

// What cursor-ralph printed; printed.mjs says of which loops.
const loops = printed.loops as unknown as Record<string, Loop>;
export const history = printed.history as unknown as Iteration[];
export const { repo, form } = printed;

// loop is one of them, perhaps with changes that no test of its words depends on.
export function loop(name: string, change: Partial<Loop> = {}): Loop {
  const l = loops[name];
  if (!l) throw new Error(`no loop ${name}`);
  return { ...l, ...change };
}

export const hostile = '<img src=x onerror=alert(1)> [click](command:workbench.action.quit) $(sync~spin) <script>alert(1)</script>\u202Etxt.exe\u0007 ```\n# [x](https://evil.example) `';

// deferred is a promise that the test settles.
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((r) => (resolve = r));
  return { promise, resolve };
}

// remembering is a memory of chats.
export function remembering(): Memory {
  let all: ReturnType<Memory['get']> = [];
  return { get: () => all, set: (value) => void (all = value) };
}
