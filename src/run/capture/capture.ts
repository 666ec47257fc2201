import { type Effects, untilAny } from '../../effects.ts';

/** A source of rows beside the lists: the stream, or the pending state. */
export interface Capture {
  readonly name: string;
  /**
   * Captures until the signal is aborted. `once` takes one reading, if the source can be read at
   * any time, and returns. Failures that another try may mend stay inside; a Fault ends the run.
   */
  capture(stop: AbortSignal, extent: 'once' | 'until stopped'): Promise<void>;
  /** Commits all rows captured so far; called under the lock of the run. */
  land(): Promise<CaptureCounts>;
  /** Lets other processes capture the same source. */
  close?(): Promise<void>;
}

/** The figures of a capture since it was opened. */
export interface CaptureCounts {
  readonly name: string;
  /** Frames of a stream, or readings of the pending state. */
  readonly readings: number;
  readonly rows: number;
  /** Times in which readings may be missing, after the start of a stream. */
  readonly gaps: number;
}

interface CapturingJob {
  readonly captures?: readonly Capture[];
  readonly pipeline: { readonly limits: { readonly forMs?: number | undefined } };
  readonly captureMs?: number | undefined;
  readonly session?: object;
  readonly effects: Pick<Effects, 'sleep'>;
}

/**
 * Does the work of a run beside its captures. A run with a time captures until the stop, one with
 * `captureMs` for that long, and other runs take one reading. The captures of a follower are under
 * way already.
 */
export async function capturing<T>(
  { captures = [], pipeline, captureMs, session, effects }: CapturingJob,
  softStop: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  if (captures.length === 0 || session !== undefined) return work();
  const isLong = (captureMs ?? pipeline.limits.forMs) !== undefined;
  const ended = new AbortController();
  return untilAny([softStop, ended.signal], async (stop) => {
    const worked = work();
    const under = captures.map((source) => source.capture(stop, isLong ? 'until stopped' : 'once'));
    const end = (): void =>
      ended.abort(new Error('the time of the captures is over, or a failure'));
    if (captureMs !== undefined) effects.sleep(captureMs, stop).then(end, () => undefined);
    try {
      const [result] = await Promise.all([worked, ...under]);
      return result;
    } finally {
      end();
      await Promise.allSettled([worked, ...under]);
    }
  });
}

/** Runs over and over beside the captures, which end with the runs. */
export async function captureThroughout(
  { captures = [] }: Pick<CapturingJob, 'captures'>,
  softStop: AbortSignal,
  runs: (stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = new AbortController();
  await untilAny([softStop, ended.signal], async (stop) => {
    const under = captures.map((source) => source.capture(stop, 'until stopped'));
    const all = [runs(stop), ...under].map((task) =>
      task.finally(() => ended.abort(new Error('a part of the follower ended'))),
    );
    await Promise.allSettled(all);
    await Promise.all(all);
  });
}
