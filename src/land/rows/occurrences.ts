import type { ListedRecord } from '../../catalogue/record-text.ts';
import { grouped } from '../../coverage/grouped.ts';
import type { Landable } from '../rule/claim.ts';

/** A row and its record. */
export interface LandedRecord<R extends Landable = Landable> {
  readonly row: R;
  readonly record: ListedRecord;
}

/**
 * The rows of a walk that equal an earlier one in all stable columns, with their number: 2 for the
 * second of several equal rows, 3 for the next. Heights, names and keys are stable, so rows become
 * text only where two share all of them. In lists of addresses, about half of the rows do not even
 * share their height.
 */
export function repeatsOf<R extends LandedRecord>(rows: readonly R[]): ReadonlyMap<R, number> {
  const repeats = new Map<R, number>();
  for (const neighbours of sharingHeight(rows)) {
    for (const namesakes of sharing(neighbours, ({ record }) => record.name)) {
      for (const alike of sharing(namesakes, ({ row }) => row.touches.join())) {
        for (const equal of sharing(alike, ({ record }) => record.content)) {
          for (const [i, row] of equal.entries()) if (i > 0) repeats.set(row, i + 1);
        }
      }
    }
  }
  return repeats;
}

/** Groups of several rows with one height. The rows of a group keep their order. */
function* sharingHeight<R extends LandedRecord>(rows: readonly R[]): Generator<readonly R[]> {
  // Most lists begin with the newest records, so there is little to sort. The sort is stable.
  const sorted = [...rows].sort((a, b) => b.row.height - a.row.height);
  let first = 0;
  for (let at = 1; at <= sorted.length; at += 1) {
    if (sorted[at]?.row.height === sorted[first]?.row.height) continue;
    if (at - first > 1) yield sorted.slice(first, at);
    first = at;
  }
}

/** Groups of several rows with the same value. The rows of a group keep their order. */
function sharing<R, Value>(
  rows: readonly R[],
  sharedBy: (row: R) => Value,
): readonly (readonly R[])[] {
  const [one, other] = rows;
  if (one !== undefined && other !== undefined && rows.length === 2) {
    return sharedBy(one) === sharedBy(other) ? [rows] : NONE;
  }
  return [...grouped(rows, sharedBy).values()].filter(({ length }) => length > 1);
}

const NONE: readonly never[] = [];
