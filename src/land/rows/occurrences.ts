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
 * second of several equal rows, 3 for the next. Heights and names are stable, so records become
 * text only where two share both. In lists of addresses, about half do not even share their height.
 */
export function repeatsOf<R extends LandedRecord>(rows: readonly R[]): ReadonlyMap<R, number> {
  const repeats = new Map<R, number>();
  for (const neighbours of sharing(rows, ({ row }) => row.height)) {
    for (const namesakes of sharing(neighbours, ({ record }) => record.name)) {
      for (const equal of sharing(namesakes, ({ record }) => record.content)) {
        for (const [i, row] of equal.entries()) if (i > 0) repeats.set(row, i + 1);
      }
    }
  }
  return repeats;
}

/** Groups of several rows with the same value. The rows of a group keep their order. */
function sharing<R>(rows: readonly R[], sharedBy: (row: R) => unknown): R[][] {
  return [...grouped(rows, sharedBy).values()].filter(({ length }) => length > 1);
}
