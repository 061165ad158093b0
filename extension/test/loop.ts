import type { Memory } from '../src/delivery';
import { parseLoop, type Loop } from '../src/loops';

// aLoop is a running loop with changes, as cursor-ralph prints it.
export function aLoop(change: Record<string, unknown> = {}): Loop {
  const l = parseLoop({ schema: 1, id: 'k7f2a', status: 'running', iteration: 3, max_iterations: 20, prompt: 'make the tests pass', workspace: '/code/repo', conversation_id: '4f1d-1b0e', ...change });
  if (!l) throw new Error('not a loop');
  return l;
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
