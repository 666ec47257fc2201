import { createHash } from 'node:crypto';
import type { List, ListId } from './list.ts';
import type { Interval } from './ranges.ts';

/** The unit of fetching, retrying and committing: a list, keys and an interval. */
export interface Slice {
  readonly list: List;
  /** Lower-case and sorted, at most the endpoint's keys per request; `['']` without keys. */
  readonly keys: readonly string[];
  readonly interval: Interval;
  /** The interval ends at the safe height or above it, so its records may still change. */
  readonly provisional: boolean;
  /** The reason why no list can return the interval; present only for slices without requests. */
  readonly unreachable?: string;
}

/** Keys and blocks of one list. */
export interface Region extends ListId, Interval {
  readonly keys: readonly string[];
}

/** A short name for logs and lineage. Coverage does not use it. */
export function sliceId({ list, keys, interval }: Slice): string {
  const text = JSON.stringify([list.endpoint, list.variant, keys, interval.from, interval.to]);
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
