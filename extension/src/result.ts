// What became of a call that may not exist, fail, or never answer.
export type Result<T> =
  | { kind: 'ok'; value: T }
  | { kind: 'missing'; what: string }
  | { kind: 'failed'; what: string; reason: string }
  | { kind: 'timeout'; what: string; after: number };

export const ok = <T>(value: T): Result<T> => ({ kind: 'ok', value });
export const missing = (what: string): Result<never> => ({ kind: 'missing', what });
export const failed = (what: string, reason: string): Result<never> => ({ kind: 'failed', what, reason });

export function words(r: Result<unknown>): string {
  switch (r.kind) {
    case 'ok':
      return 'ok';
    case 'missing':
      return `${r.what} does not exist in this editor`;
    case 'failed':
      return `${r.what}: ${r.reason}`;
    case 'timeout':
      return `${r.what}: no answer in ${r.after} ms`;
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// within waits for a promise, for a limited time. The promise itself cannot be
// stopped: what it does later is ignored.
export async function within<T>(what: string, ms: number, work: () => PromiseLike<T>): Promise<Result<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Result<T>>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'timeout', what, after: ms }), ms);
  });
  const done = Promise.resolve()
    .then(work)
    .then(ok, (error: unknown) => failed(what, reasonOf(error)));
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
