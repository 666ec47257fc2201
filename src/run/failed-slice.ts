import { type Slice, sliceId } from '../coverage/slice.ts';

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

export function failedSlice(slice: Slice, reason: string): FailedSlice {
  const { list, keys, interval } = slice;
  const { endpoint, variant } = list;
  return { slice: sliceId(slice), endpoint, variant, keys, ...interval, reason };
}
