import type { Axis } from '../catalogue/entry.ts';
import type { Coverage } from '../coverage/coverage.ts';
import type { Densities } from '../coverage/density.ts';
import type { List } from '../coverage/list.ts';
import type { Interval } from '../coverage/ranges.ts';
import type { Slice } from '../coverage/slice.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { PipelineRequest } from '../pipeline/requests.ts';

/** What planning takes in, and the plan it gives. */

/** The head of an axis, and the height from which on its records may still change. */
export interface Heads {
  readonly head: number;
  readonly safe: number;
  /** The lowest height that lists of a year's depth surely reach; absent where nobody asked. */
  readonly horizon?: number;
}

/** Heads of the axes that a pipeline asks about. */
export type HeadsByAxis = Readonly<Partial<Record<Axis, Heads>>>;

/** A key that stands in a row of the lake, with the height of that row. */
export interface FoundKey {
  readonly key: string;
  readonly height: number;
}

export interface PlanInput {
  readonly pipeline: Pipeline;
  /** The keys of every key set that is given, lower-case, sorted and unique. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** The keys of a request whose key set is found, in order of height; absent: none so far. */
  readonly found: ReadonlyMap<PipelineRequest, readonly FoundKey[]>;
  readonly coverage: Coverage;
  readonly heads: HeadsByAxis;
  /** What past commits tell of rows per key and block. */
  readonly densities: Densities;
  /** Milliseconds since the Unix epoch: snapshots grow old. */
  readonly nowMs: number;
  /** Complete intervals are planned, too. Default false. */
  readonly isAgain?: boolean;
}

/**
 * Why a request has no blocks to fetch: its range begins above the head (`above-head`) or where
 * blocks are not final yet (`not-final`), or its own range has no block of the pipeline's range
 * (`outside-range`).
 */
export type NoBlocks = 'above-head' | 'not-final' | 'outside-range';

/** What one request of the pipeline asks by one way, and what of it has to be fetched. */
export interface PlannedRequest {
  readonly request: PipelineRequest;
  /** Of the request's own endpoint, or of an alternative. */
  readonly list: List;
  /** Records per page; Infinity for replies without pages. */
  readonly pageSize: number;
  readonly keys: number;
  /** Its keys are found while the run goes on, so this is what is known so far. */
  readonly isFound: boolean;
  /** Requested blocks up to the head; undefined where `noBlocks` says why there are none. */
  readonly interval: Interval | undefined;
  readonly noBlocks?: NoBlocks;
  readonly slices: readonly Slice[];
  /** Key-blocks asked below the safe height, and how many of them are complete already. */
  readonly asked: number;
  readonly covered: number;
}

export interface Plan {
  readonly heads: HeadsByAxis;
  /** The newest head that any coverage of the axis was read at; absent where there is none. */
  readonly newestHeadSeen: Readonly<Partial<Record<Axis, number>>>;
  /** Complete intervals are fetched again. */
  readonly isAgain: boolean;
  /** The last height asked by number, where it lies above the head. */
  readonly beyondHead: Readonly<Partial<Record<Axis, number>>>;
  readonly requests: readonly PlannedRequest[];
  /** In the order of fetching. */
  readonly slices: readonly Slice[];
}
