import { type Slice, sliceId } from '../coverage/slice.ts';
import { CallFailure, isOfRequest, LIMIT_REACHED } from '../fetch/http/call-failure.ts';
import { faultOfCall } from '../fetch/http/call-fault.ts';

/** A slice that failed; its parts that were proven before the failure have landed. */
export interface FailedSlice {
  readonly slice: string;
  readonly endpoint: string;
  readonly variant: string;
  readonly keys: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

function failedSlice(slice: Slice, reason: string): FailedSlice {
  const { list, keys, interval } = slice;
  const { endpoint, variant } = list;
  return { slice: sliceId(slice), endpoint, variant, keys, ...interval, reason };
}

/** The state of an execution: a fold of the outcomes of its slices. */
export interface Progress {
  readonly failed: readonly FailedSlice[];
  readonly short: number;
  /** Slices that were started, and left because of an interruption or a limit. */
  readonly stopped: number;
  readonly failuresInARow: number;
  /** The error that ends the execution. */
  readonly ended: unknown;
}

/** `short` and `unproven` are outcomes of parts, an error without a slice is one of the whole. */
export type SliceOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'short' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'unproven'; readonly slice: Slice; readonly reason: string }
  | { readonly kind: 'error'; readonly error: unknown; readonly slice?: Slice };

/** After this many consecutive failures that no slice caused, the source counts as unavailable. */
const MAX_FAILURES_IN_A_ROW = 8;

/** The state after one more outcome. The first error that ends the execution stays. */
export function after(progress: Progress, outcome: SliceOutcome): Progress {
  const { failed, short, stopped, ended } = progress;
  if (outcome.kind === 'done') return { ...progress, failuresInARow: 0 };
  if (outcome.kind === 'short') return { ...progress, short: short + 1 };
  if (outcome.kind === 'stopped') return { ...progress, stopped: stopped + 1 };
  if (outcome.kind === 'unproven') {
    return { ...progress, failed: [...failed, failedSlice(outcome.slice, outcome.reason)] };
  }
  const { error, slice } = outcome;
  // The lake or the disk failed, not the source: other slices would fail in the same way.
  if (!(error instanceof CallFailure)) return { ...progress, ended: ended ?? error };
  if (error.code === LIMIT_REACHED) return { ...progress, stopped: stopped + 1 };
  const failuresInARow = isOfRequest(error) ? 0 : progress.failuresInARow + 1;
  const isRefused = error.outcome === 'auth' || error.outcome === 'stop';
  const isOver = slice === undefined || isRefused || failuresInARow >= MAX_FAILURES_IN_A_ROW;
  return {
    ...progress,
    failed: slice === undefined ? failed : [...failed, failedSlice(slice, error.message)],
    failuresInARow,
    ended: ended ?? (isOver ? faultOfCall(error) : undefined),
  };
}
