import { type Effects, later, untilAny } from '../effects.ts';
import { Fault } from '../fault.ts';
import { CallFailure } from '../fetch/http/call-failure.ts';
import { faultOfCall } from '../fetch/http/call-fault.ts';
import type { RunLimits } from '../pipeline/run-limits.ts';

export interface Stops {
  /** Aborted on the first interruption: start no more slices. */
  readonly softStop: AbortSignal;
  /** Aborted on the second interruption: cancel open requests too. */
  readonly hardStop: AbortSignal;
}

/** A piece of work that an interruption ends. */
export interface StoppableJob extends Stops {
  readonly effects: Pick<Effects, 'sleep'>;
  readonly pipeline: { readonly limits: Pick<RunLimits, 'stopWithinMs'> };
}

/**
 * Does the work with a signal that cancels open requests: on the second interruption, or
 * `limits.stopWithin` after the first one.
 */
export async function stoppingWithin<T>(
  { effects, pipeline, softStop, hardStop }: StoppableJob,
  work: (hardStop: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  let cancel: (() => void) | undefined;
  const wait = (): void => {
    cancel = later(effects, pipeline.limits.stopWithinMs, () => late.abort(softStop.reason));
  };
  if (softStop.aborted) wait();
  else softStop.addEventListener('abort', wait, { once: true });
  try {
    return await untilAny([hardStop, late.signal], work);
  } finally {
    cancel?.();
    softStop.removeEventListener('abort', wait);
  }
}

/** The answer to a required request; a failed call or an interruption becomes a Fault. */
export async function answerOf<T>(
  { softStop }: { readonly softStop?: AbortSignal },
  answer: Promise<T>,
): Promise<T> {
  return answer.catch((error: unknown) => {
    if (softStop?.aborted === true) {
      throw new Fault('interrupted', 'Interrupted.', { advice: 'Run again to continue.' });
    }
    throw error instanceof CallFailure ? faultOfCall(error) : error;
  });
}
