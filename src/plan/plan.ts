import type { Axis } from '../catalogue/entry.ts';
import type { Coverage } from '../coverage/coverage.ts';
import type { Densities } from '../coverage/density.ts';
import type { List } from '../coverage/list.ts';
import type { Interval } from '../coverage/ranges.ts';
import type { Slice } from '../coverage/slice.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { PipelineRequest } from '../pipeline/requests.ts';

/** The input and the result of planning. */

/** The head of an axis and its safe height. Records at the safe height and above may change. */
export interface Heads {
  readonly head: number;
  readonly safe: number;
  /** The lowest height of lists with a depth limit in years; absent if no request needs it. */
  readonly depthLimit?: number;
}

/** Heads of the axes that a pipeline reads. */
export type HeadsByAxis = Readonly<Partial<Record<Axis, Heads>>>;

/** A key in a row of the lake, with the height of that row. */
export interface FoundKey {
  readonly key: string;
  readonly height: number;
  /** The variants of the request's lists in which the look-up of a hash is complete. */
  readonly lookedUpIn?: readonly string[];
}

/** The number of keys at a height that no list has to look up. */
export interface DoneKeys {
  readonly height: number;
  readonly keys: number;
}

export interface PlanInput {
  readonly pipeline: Pipeline;
  /** The keys of key sets with a file or a list, lower-case, sorted and unique. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** The keys in landed rows of requests that take them from rows, in order of height. */
  readonly rowKeys: ReadonlyMap<PipelineRequest, readonly FoundKey[]>;
  /** Keys that are counted instead. */
  readonly done?: ReadonlyMap<PipelineRequest, readonly DoneKeys[]>;
  readonly coverage: Coverage;
  readonly heads: HeadsByAxis;
  /** Rows per key and block in past commits. */
  readonly densities: Densities;
  /** Milliseconds since the Unix epoch, for the age of snapshots. */
  readonly nowMs: number;
  /** Complete intervals are planned, too. Default false. */
  readonly isAgain?: boolean;
  /** A list with more is a fault. */
  readonly mostSlices?: number;
}

/**
 * Why a request has no blocks to fetch: its range begins above the head (`above-head`) or where
 * blocks are not final yet (`not-final`), or its own range has no block of the pipeline's range
 * (`outside-range`).
 */
export type NoBlocks = 'above-head' | 'not-final' | 'outside-range';

/** The slices of one list of a request. */
export interface PlannedRequest {
  readonly request: PipelineRequest;
  /** A list of the request's own endpoint, or of an alternative. */
  readonly list: List;
  /** Records per page; Infinity for replies without pages. */
  readonly pageSize: number;
  readonly keys: number;
  /** The keys come from rows that the run lands, so later rounds may add slices. */
  readonly isFound: boolean;
  /** For look-ups: the share of the keys in rows, at all heights, that were looked up. */
  readonly lookedUp?: number;
  /** Requested blocks up to the head; undefined if `noBlocks` gives a reason for their absence. */
  readonly interval: Interval | undefined;
  readonly noBlocks?: NoBlocks;
  readonly slices: readonly Slice[];
  /** Requested keys x blocks below the safe height. */
  readonly keyBlocks: number;
  /** The complete ones of `keyBlocks`. */
  readonly covered: number;
}

export interface Plan {
  readonly heads: HeadsByAxis;
  /** The highest head in the coverage of the axis; absent without coverage. */
  readonly newestHeadSeen: Readonly<Partial<Record<Axis, number>>>;
  /** Complete intervals are fetched again. */
  readonly isAgain: boolean;
  /** The highest requested height that is above the head; absent if there is none. */
  readonly beyondHead: Readonly<Partial<Record<Axis, number>>>;
  readonly requests: readonly PlannedRequest[];
  /** In the order of fetching. */
  readonly slices: readonly Slice[];
}

/** The plan restricted to some of its requests; by default all. */
export function onlyRequests(plan: Plan, wants?: (planned: PlannedRequest) => boolean): Plan {
  if (wants === undefined) return plan;
  const requests = plan.requests.filter(wants);
  const slices = new Set(requests.flatMap((request) => request.slices));
  return { ...plan, requests, slices: plan.slices.filter((slice) => slices.has(slice)) };
}
