import type { Cell } from '../catalogue/column-kind.ts';
import type { Column } from '../catalogue/entry.ts';
import { isAskedByHash } from '../coverage/list.ts';
import type { Slice } from '../coverage/slice.ts';
import type { Lake } from './lake.ts';
import type { Row } from './rows/decode.ts';
import { removalSql } from './rows/removal.ts';
import { rowShape, touchesOf, wholeContent } from './rows/row-shape.ts';
import { readRows } from './storage/read-rows.ts';

/** The stable columns of a row that only the walk or only the table has. */
export type DifferingRow = Readonly<Record<string, string>>;

export interface Difference {
  readonly rows: number;
  /** Rows of the walk that the table lacks. */
  readonly added: readonly DifferingRow[];
  /** Rows of the table that the walk did not find. */
  readonly gone: readonly DifferingRow[];
}

/**
 * Compares the rows of a walk with those of the table, as multisets without volatile columns, where
 * the table is complete. Reads the rows of the slice into memory.
 */
export async function compareSlice(
  lake: Lake,
  slice: Slice,
  walked: readonly Row[],
): Promise<Difference> {
  const { list, keys, interval } = slice;
  const shape = rowShape(list);
  const table = lake.table(shape.dataset);
  const { heightColumn } = list.dataset;
  const request = { list, keys, interval, protectedBy: [] };
  const snapshot = await table.snapshot();
  const isComplete = snapshot.coverage.completeIn(list);
  // A complete look-up has no entry of its hash.
  const isCovered = (key: string, at: number): boolean =>
    isComplete(key, at) ||
    (isAskedByHash(list) && !snapshot.coverage.isKnown(list, key, { from: at, to: at }));
  const isCompared = (height: number, touches: readonly string[]): boolean =>
    touches.some((key) => keys.includes(key) && isCovered(key, height));
  const paths = table.paths(snapshot);
  const rows = await readRows(paths, shape.columns, removalSql(request, heightColumn));
  const landed = rows.filter((cells) => {
    return isCompared(Number(cells[shape.heightAt]), touchesOf(shape, cells));
  });
  const counts = new Map<string, { balance: number; cells: readonly Cell[] }>();
  const count = (cells: readonly Cell[], step: number): void => {
    const id = wholeContent(shape, cells);
    const tally = counts.get(id) ?? { balance: 0, cells };
    tally.balance += step;
    counts.set(id, tally);
  };
  for (const { cells, height, touches } of walked) {
    if (isCompared(height, touches)) count(cells, 1);
  }
  for (const cells of landed) count(cells, -1);
  const added: DifferingRow[] = [];
  const gone: DifferingRow[] = [];
  for (const { balance, cells } of counts.values()) {
    for (let i = 0; i < Math.abs(balance); i += 1)
      (balance > 0 ? added : gone).push(stableCells(cells));
  }
  return { rows: landed.length, added, gone };

  function stableCells(cells: readonly Cell[]): DifferingRow {
    const values = shape.stableAt.flatMap((at): [string, string][] => {
      const cell = cells[at] ?? null;
      const column = shape.columns[at];
      // Columns of numbers and lists repeat a text column.
      if (cell === null || column === undefined || /^DECIMAL|^VARCHAR\[\]$/.test(column.type))
        return [];
      return [[column.name, spelled(cell, column)]];
    });
    return Object.fromEntries(values);
  }
}

function spelled(cell: Cell, { type }: Column): string {
  const isTime = type === 'TIMESTAMPTZ' && typeof cell === 'bigint';
  return isTime ? new Date(Number(cell / 1000n)).toISOString() : String(cell);
}
