/**
 * Calls `use` with a signal that is aborted as soon as one of `sources` is, with its reason. Nothing
 * stays at the sources afterwards: `AbortSignal.any` of Node 20 leaves a reference at every source
 * for good, and a follower calls this in every run.
 */
export async function untilAny<T>(
  sources: readonly AbortSignal[],
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const any = new AbortController();
  const ended = new AbortController();
  const { signal } = ended;
  for (const source of sources) {
    const stop = (): void => any.abort(source.reason);
    if (source.aborted) stop();
    else source.addEventListener('abort', stop, { once: true, signal });
  }
  try {
    return await use(any.signal);
  } finally {
    ended.abort();
  }
}
