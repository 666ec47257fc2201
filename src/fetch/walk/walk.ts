import type { Endpoint } from '../../catalogue/entry.ts';
import type { ListedRecord } from '../../catalogue/record-text.ts';
import type { Slice } from '../../coverage/slice.ts';
import type { Proof } from '../../pipeline/pipeline.ts';
import type { Caller } from '../http/caller.ts';
import type { ListFacts } from './list-facts.ts';

/** Settings for reading the lists of a source. */
export interface SourceSettings {
  /** `chainShortName` on the axis of the slice. */
  readonly chain: string;
  readonly pageSize: number;
  /** The page size of the list, where this is another one; its answers prove nothing for it. */
  readonly usualPageSize?: number;
  /** Most records that lists of the primary chain show for one query, over all pages. */
  readonly recordCap: number;
  readonly facts: ListFacts;
  readonly proof: Proof;
  readonly signal?: AbortSignal;
}

export interface WalkSettings extends SourceSettings {
  /** Reads up to the record cap instead of reporting saturation. */
  readonly acceptCap?: true;
  /** The slice is not split by key, so doubts that only a split could settle are ignored. */
  readonly isUnsplit?: true;
  /** Heights are sent as given, without extra blocks beside them. */
  readonly isExact?: true;
}

export type WalkResult =
  /** All records of the slice, with all copies. */
  | { readonly outcome: 'proven'; readonly records: readonly ListedRecord[] }
  /** The service may have more records than it lists for one query. */
  | {
      readonly outcome: 'saturated';
      readonly reason: string;
      /** The records that were listed, one copy of each. */
      readonly history?: readonly ListedRecord[];
    }
  /** The list changed during every attempt to read it. */
  | {
      readonly outcome: 'drifting';
      readonly reason: string;
      /** The readings that disagree, as one string. */
      readonly readings?: string;
      /** The records that were listed, one copy of each. */
      readonly history?: readonly ListedRecord[];
    }
  /** The answer does not match the request; `records` are the matching ones. */
  | {
      readonly outcome: 'contradictory';
      readonly reason: string;
      readonly records: readonly ListedRecord[];
    };

/** The input of one walk. */
export interface Reading {
  readonly caller: Caller;
  readonly endpoint: Endpoint;
  readonly slice: Slice;
  readonly settings: WalkSettings;
  /** Records per page, at most. */
  readonly limit: number;
  /** Records that were listed before; a walk without them proves nothing. */
  readonly history?: readonly ListedRecord[];
}

/** Reads all records of a slice; undefined where they cannot be proven. */
export type ReadWhole = (reading: Reading) => Promise<readonly ListedRecord[] | undefined>;

/** Attempts of a walk by pages whose list changes while it is read. */
export const MAX_RESTARTS = 4;
