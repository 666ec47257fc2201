import type { Endpoint } from '../../catalogue/entry.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import type { Status } from '../../coverage/coverage.ts';
import type { Slice } from '../../coverage/slice.ts';
import type { Proof } from '../../pipeline/pipeline.ts';
import type { Caller } from '../http/caller.ts';
import type { ListFacts } from './list-facts.ts';

/** How the lists of a source are asked. */
export interface SourceSettings {
  /** `chainShortName` on the axis of the slice. */
  readonly chain: string;
  readonly pageSize: number;
  /** Most records the primary chain's lists show for one query, over all pages. */
  readonly recordCap: number;
  readonly facts: ListFacts;
  readonly proof: Proof;
  readonly signal?: AbortSignal;
}

export interface WalkSettings extends SourceSettings {
  /** Read as far as the record cap allows instead of reporting saturation. */
  readonly acceptCap?: true;
  /** Nothing is split by key, so doubts that only splitting could settle are passed over. */
  readonly isUnsplit?: true;
  /** Heights are sent as they are: no block more is asked than is kept. */
  readonly isExact?: true;
}

export type WalkResult =
  /** Every record of the slice, with every copy. */
  | { readonly outcome: 'proven'; readonly records: readonly WireRecord[] }
  /** There may be more than the service lists for one query. */
  | { readonly outcome: 'saturated'; readonly reason: string }
  /** The listing changed while it was read, again and again. */
  | { readonly outcome: 'drifting'; readonly reason: string }
  /** The service answered something else than was asked; these records do match. */
  | {
      readonly outcome: 'contradictory';
      readonly reason: string;
      readonly records: readonly WireRecord[];
    };

/** A slice or a part of it, with what was found and what that proves. */
export interface Part {
  readonly slice: Slice;
  readonly status: Status;
  /** '' where the status says all. */
  readonly reason: string;
  readonly records: readonly WireRecord[];
}

/** What one walk asks, and whom. */
export interface Reading {
  readonly caller: Caller;
  readonly endpoint: Endpoint;
  readonly slice: Slice;
  readonly settings: WalkSettings;
  /** Records a page, at most. */
  readonly limit: number;
  /** Records that were listed before, so that a walk without them proves nothing. */
  readonly known?: readonly WireRecord[];
}

/** How often a walk by pages restarts when the listing changed under it. */
export const MAX_RESTARTS = 4;

/** What was proven, as a part: final below the safe height, provisional above it. */
export function provenPart(slice: Slice, records: readonly WireRecord[]): Part {
  return { slice, status: slice.provisional ? 'provisional' : 'complete', reason: '', records };
}
