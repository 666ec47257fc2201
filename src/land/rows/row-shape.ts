import { createHash } from 'node:crypto';
import type { Column } from '../../catalogue/entry.ts';
import { columnsOf } from '../../catalogue/entry.ts';
import type { Cell } from '../../catalogue/kind.ts';
import { keysNamedIn, type List } from '../../coverage/list.ts';
import { tableColumns } from './columns.ts';

/** Where things stand in the rows that an endpoint's records become, under these filters. */
export interface RowShape {
  readonly dataset: string;
  /** All columns of the dataset's table, in its order. */
  readonly columns: readonly Column[];
  readonly heightAt: number;
  /** The keys by which the list shows a row; undefined where no keys are asked. */
  readonly keysAt: readonly number[] | undefined;
  /** What records of this list say that does not change after the fact. */
  readonly stableAt: readonly number[];
}

export function rowShape({
  entry,
  dataset: { name: dataset, heightColumn },
  keyColumns,
}: List): RowShape {
  const columns = tableColumns(dataset);
  const names = columns.map(({ name }) => name);
  const stable = entry.fields.filter((field) => field.volatile !== true).flatMap(columnsOf);
  return {
    dataset,
    columns,
    heightAt: names.indexOf(heightColumn),
    keysAt: keyColumns?.map((name) => names.indexOf(name)),
    stableAt: stable.map(({ name }) => names.indexOf(name)),
  };
}

/** The keys by which the list would show the row, each once; `['']` for lists without keys. */
export function touchesOf({ keysAt }: RowShape, cells: readonly Cell[]): string[] {
  return keysAt === undefined ? [''] : keysNamedIn(keysAt.map((at) => cells[at]));
}

/** A text that is equal for rows that are equal in every stable column, and for no others. */
export function rowContent({ stableAt }: RowShape, cells: readonly Cell[]): string {
  return JSON.stringify(stableAt.map((at) => spelled(cells[at] ?? null)));
}

/**
 * A number that stands for what a row says; sums of them stand for multisets of rows. It goes by
 * the names of columns and leaves NULL out, so a column more in the catalogue does not change it.
 */
export function rowDigest({ stableAt, columns }: RowShape, cells: readonly Cell[]): bigint {
  const said = stableAt.flatMap((at) => {
    const cell = cells[at] ?? null;
    return cell === null ? [] : [[columns[at]?.name ?? '', spelled(cell)] as const];
  });
  said.sort(([a], [b]) => (a < b ? -1 : 1));
  return BigInt(`0x${createHash('sha256').update(JSON.stringify(said)).digest('hex')}`);
}

function spelled(cell: Cell): string | boolean | readonly string[] | null {
  return typeof cell === 'bigint' ? String(cell) : cell;
}
