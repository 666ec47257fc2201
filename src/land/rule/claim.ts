import type { Status } from '../../coverage/coverage.ts';
import { isSameList, type List, type ListId, listKey } from '../../coverage/list.ts';
import { contains, type Interval } from '../../coverage/ranges.ts';
import { isUnfinished } from '../../coverage/unfinished.ts';

/** The properties of a record that merging needs. */
export interface Landable {
  readonly height: number;
  /** The keys under which its endpoint lists it; `['']` for endpoints without keys. */
  readonly touches: readonly string[];
}

/** The range and keys that a walk requested, and the status that it proved. */
export interface Claim {
  readonly list: List;
  readonly keys: readonly string[];
  readonly interval: Interval;
  readonly status: Status;
  readonly reason: string;
  readonly head: number;
  readonly readAtMs: number;
  /** Number of reorganisations in the table's log when the walk began. */
  readonly generation: number;
  /**
   * Withdraws the coverage of an earlier walk of the same run whose answers were false, complete
   * coverage included. A claim without records leaves the rows unchanged.
   */
  readonly refutes?: true;
}

export interface Walk<R extends Landable> {
  readonly claim: Claim;
  readonly records: readonly R[];
}

/** The number of records in the walks. */
export function recordCount(walks: readonly Walk<Landable>[]): number {
  return walks.reduce((sum, { records }) => sum + records.length, 0);
}

/** Removes rows of the list in the interval that touch one of the keys, unless protected. */
export interface Removal {
  readonly list: List;
  readonly interval: Interval;
  readonly keys: readonly string[];
  /** Rows that touch one of these keys within its interval stay. */
  readonly protectedBy: readonly { readonly key: string; readonly interval: Interval }[];
}

/** Whether the removal removes this row of the list. */
export function removes(removal: Removal, list: ListId, row: Landable): boolean {
  return (
    isSameList(removal.list, list) &&
    contains(removal.interval, row.height) &&
    row.touches.some((key) => removal.keys.includes(key)) &&
    !removal.protectedBy.some(
      ({ key, interval }) => contains(interval, row.height) && row.touches.includes(key),
    )
  );
}

/** The lowest provisional height of each list in the walks. */
export function provisionalFrom(walks: readonly { readonly claim: Claim }[]): Map<string, number> {
  const from = new Map<string, number>();
  for (const { claim } of walks) {
    if (claim.status !== 'provisional' || isUnfinished(claim)) continue;
    const list = listKey(claim.list);
    from.set(list, Math.min(claim.interval.from, from.get(list) ?? claim.interval.from));
  }
  return from;
}
