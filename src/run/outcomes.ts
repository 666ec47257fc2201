import { type Slice, sliceId } from '../coverage/slice.ts';
import type { FetchedPart } from '../coverage/slice-part.ts';
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

/** After this many consecutive failures that no slice caused, the source counts as unavailable. */
const MAX_FAILURES_IN_A_ROW = 8;

/** How the slices of an execution ended so far. */
export class Outcomes {
  readonly failed: FailedSlice[] = [];
  /** Parts whose status is not complete, and not accepted. */
  short = 0;
  /** Slices that were started, and left because of an interruption or a limit. */
  stopped = 0;
  /** The first error that ends the execution. */
  ended: unknown;
  #failuresInARow = 0;

  done(): void {
    this.#failuresInARow = 0;
  }

  unproven({ slice }: Pick<FetchedPart, 'slice'>, reason: string): void {
    this.failed.push(failedSlice(slice, reason));
  }

  /** An error without a slice is one of the whole. */
  error(error: unknown, slice?: Slice): void {
    if (!(error instanceof CallFailure)) {
      // The lake or the disk failed, not the source: other slices would fail in the same way.
      this.ended ??= error;
    } else if (error.code === LIMIT_REACHED) {
      this.stopped += 1;
    } else {
      if (slice !== undefined) this.failed.push(failedSlice(slice, error.message));
      this.#failuresInARow = isOfRequest(error) ? 0 : this.#failuresInARow + 1;
      const isRefused = error.outcome === 'auth' || error.outcome === 'stop';
      const isGone = this.#failuresInARow >= MAX_FAILURES_IN_A_ROW;
      if (slice === undefined || isRefused || isGone) this.ended ??= faultOfCall(error);
    }
  }
}
