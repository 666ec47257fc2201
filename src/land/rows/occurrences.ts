import type { Cell } from '../../catalogue/column-kind.ts';
import type { Landable } from '../rule/claim.ts';
import { nameIn, type RowShape, rowContent } from './row-shape.ts';

/** How rows are compared. */
export interface Comparison<R> {
  /** The cell at `namedAt` of the shape; null where there is none. */
  readonly nameOf: (row: R) => Cell;
  /** A text that is equal only for rows with equal stable columns. */
  readonly contentOf: (row: R) => string;
}

/** The comparison of rows by their cells. */
export function ofCells(shape: RowShape): Comparison<{ readonly cells: readonly Cell[] }> {
  return {
    nameOf: ({ cells }) => nameIn(cells, shape),
    contentOf: ({ cells }) => rowContent(shape, cells),
  };
}

/**
 * The rows of a walk that equal an earlier one in all stable columns, with their number: 2 for the
 * second of several equal rows, 3 for the next. Heights, names and keys are stable, so rows become
 * text only where two share all of them. In lists of addresses, about half of the rows do not even
 * share their height.
 */
export function repeatsOf<R extends Landable>(
  rows: readonly R[],
  { nameOf, contentOf }: Comparison<R>,
): ReadonlyMap<R, number> {
  const repeats = new Map<R, number>();
  for (const neighbours of sharingHeight(rows)) {
    for (const namesakes of sharing(neighbours, nameOf)) {
      for (const alike of sharing(namesakes, ({ touches }) => touches.join())) {
        for (const equal of sharing(alike, contentOf)) {
          for (const [i, row] of equal.entries()) if (i > 0) repeats.set(row, i + 1);
        }
      }
    }
  }
  return repeats;
}

/** Groups of several rows with one height. The rows of a group keep their order. */
function* sharingHeight<R extends Landable>(rows: readonly R[]): Generator<readonly R[]> {
  // Most lists begin with the newest records, so there is little to sort. The sort is stable.
  const sorted = [...rows].sort((a, b) => b.height - a.height);
  let first = 0;
  for (let at = 1; at <= sorted.length; at += 1) {
    if (sorted[at]?.height === sorted[first]?.height) continue;
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
  const groups = new Map<Value, R[]>();
  for (const row of rows) {
    const value = sharedBy(row);
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [row]);
    else group.push(row);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

const NONE: readonly never[] = [];
