import type { RunLimits } from '../../pipeline/run-limits.ts';
import { durationText } from '../../pipeline/syntax/duration.ts';
import type { Stops } from '../../run/interruption.ts';
import { STOP_SIGNALS } from '../../system.ts';
import type { Console } from '../terminal/console.ts';

/**
 * Does work that SIGINT ends: the first one finishes open slices, for at most `limits.stopWithin`,
 * and a second one stops at once. Signals keep ending the process until the work calls `stops`.
 */
export async function stoppingOnSignals<T>(
  output: Console,
  { limits: { stopWithinMs } }: { readonly limits: Pick<RunLimits, 'stopWithinMs'> },
  work: (stops: () => Stops) => Promise<T>,
): Promise<T> {
  const soft = new AbortController();
  const hard = new AbortController();
  const onSignal = (): void => {
    if (soft.signal.aborted) {
      hard.abort(new Error('interrupted'));
      return;
    }
    soft.abort(new Error('interrupted'));
    const time = durationText(stopWithinMs);
    output.note(`Finishing the open slices, for ${time} at most; interrupt again to stop now.`);
  };
  try {
    return await work(() => {
      for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
      return { softStop: soft.signal, hardStop: hard.signal };
    });
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
  }
}

/** Does work that the first signal ends. */
export async function stoppedBySignals<T>(work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error('interrupted'));
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}
