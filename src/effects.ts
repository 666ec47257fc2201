/**
 * Effects as one argument: the clock, sleep, random numbers and the log. Every function that is not
 * pure takes an `Effects`; tests pass their own, so no test sleeps.
 */
export interface Effects {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
  log(level: LogLevel, message: string): void;
  /**
   * Calls `work` every `periodMs` until the returned function is called; does not keep the process
   * alive. Absent where nothing is renewed.
   */
  every?(periodMs: number, work: () => void): () => void;
  /**
   * Called at every named step at which a crash must be harmless (see `land/storage/disk.ts`). Does
   * nothing in production; fault tests kill the process here.
   */
  reached(step: string): void;
  /** Gives the memory of objects that are no longer needed back to the system. */
  collect?(): void;
  /** Absent where no traces are wanted. */
  readonly traces?: Traces;
}

/** Spans: work with a name, a duration and attributes. `run` begins a trace of later spans. */
export interface Traces {
  span<T>(name: SpanName, attributes: SpanAttributes, work: SpanWork<T>): Promise<T>;
}

export type SpanName = 'run' | 'slice' | 'commit';

export type SpanAttributes = Readonly<Record<string, string | number>>;

export type AddToSpan = (attributes: SpanAttributes) => void;

/** Work that can add attributes to its span; an error that it throws is one of the span. */
export type SpanWork<T> = (add: AddToSpan) => Promise<T>;

/** Does work in a span of its own where traces are wanted. */
export function traced<T>(
  { traces }: Pick<Effects, 'traces'>,
  name: SpanName,
  attributes: SpanAttributes,
  work: SpanWork<T>,
): Promise<T> {
  return traces === undefined ? work(() => undefined) : traces.span(name, attributes, work);
}

export type LogLevel = 'debug' | 'info' | 'warn';

/**
 * Calls `use` with a signal that is aborted as soon as one of `sources` is, with its reason.
 * Nothing stays at the sources afterwards: a follower calls this in every run. In Node 20,
 * `AbortSignal.any`, and listeners with a signal of their own, leave references there for good.
 */
export async function untilAny<T>(
  sources: readonly AbortSignal[],
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const any = new AbortController();
  const stop = ({ target }: Event): void => any.abort((target as AbortSignal).reason);
  for (const source of sources) {
    if (source.aborted) any.abort(source.reason);
    else source.addEventListener('abort', stop, { once: true });
  }
  try {
    return await use(any.signal);
  } finally {
    for (const source of sources) source.removeEventListener('abort', stop);
  }
}

/** Sleeps, unless the stop comes first. */
export async function pause(
  { sleep }: Pick<Effects, 'sleep'>,
  delayMs: number,
  stop: AbortSignal,
): Promise<void> {
  if (delayMs <= 0) return;
  await sleep(delayMs, stop).catch((error: unknown) => {
    if (!stop.aborted) throw error;
  });
}

/** Calls `work` after a time, unless the returned function is called before. */
export function later(
  { sleep }: Pick<Effects, 'sleep'>,
  delayMs: number,
  work: () => void,
): () => void {
  const cancelled = new AbortController();
  sleep(delayMs, cancelled.signal).then(work, () => undefined);
  return () => cancelled.abort();
}
