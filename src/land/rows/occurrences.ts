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
 * text only where two share both.
 */
export function repeatsOf<R extends LandedRecord>(rows: readonly R[]): ReadonlyMap<R, number> {
  const repeats = new Map<R, number>();
  const namesakes = grouped(rows, ({ row, record }) => `${row.height} ${record.name}`);
  for (const alike of namesakes.values()) {
    if (alike.length === 1) continue;
    for (const equal of grouped(alike, ({ record }) => record.content).values()) {
      for (const [i, row] of equal.entries()) if (i > 0) repeats.set(row, i + 1);
    }
  }
  return repeats;
}
