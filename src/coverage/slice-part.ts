import type { ListedRecord } from '../catalogue/record-text.ts';
import type { Status } from './coverage.ts';
import type { Slice } from './slice.ts';

/** A slice or a part of it, with its records and the status they prove. */
export interface SlicePart {
  readonly slice: Slice;
  readonly status: Status;
  /** May be '' where the status is sufficient. */
  readonly reason: string;
  readonly records: readonly ListedRecord[];
}

export interface FetchedPart extends SlicePart {
  /** Requests sent since the previous part, without the client's own retries. */
  readonly requests: number;
  /** Pending records of its keys: they are in no block yet. */
  readonly pending: readonly ListedRecord[];
}

/** A part with proven records: `complete` below the safe height, `provisional` above it. */
export function provenPart(slice: Slice, records: readonly ListedRecord[]): SlicePart {
  return { slice, status: slice.provisional ? 'provisional' : 'complete', reason: '', records };
}

/** A part that has only pending records is not an empty answer. */
export function hasNoRecords({ records, pending }: FetchedPart): boolean {
  return records.length + pending.length === 0;
}
