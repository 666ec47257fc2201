import { createHash } from 'node:crypto';
import type { List, ListId } from './list.ts';
import type { Interval } from './ranges.ts';

/** The unit of fetching, retrying and committing: list x keys x interval. */
export interface Slice {
  readonly list: List;
  /** Up to the endpoint's keys per request, lower-case and sorted; `['']` for keyless lists. */
  readonly keys: readonly string[];
  readonly interval: Interval;
  /** Reaches to the safe height or above it, so its content may still change. */
  readonly provisional: boolean;
  /** Why it is not even asked for: no list reaches that far. */
  readonly unreachable?: string;
}

/** Keys and blocks of one list. */
export interface Region extends ListId, Interval {
  readonly keys: readonly string[];
}

/** A short name for logs and lineage. Never an identity: coverage is per key and interval. */
export function sliceId({ list, keys, interval }: Slice): string {
  const text = JSON.stringify([list.endpoint, list.variant, keys, interval.from, interval.to]);
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
