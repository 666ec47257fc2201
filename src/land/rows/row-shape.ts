import type { Cell } from '../../catalogue/column-kind.ts';
import type { Column } from '../../catalogue/entry.ts';
import { columnsOf, stableFields } from '../../catalogue/entry.ts';
import { keysNamedIn, type List } from '../../coverage/list.ts';
import { tableColumns } from './columns.ts';

/** Column positions in the rows of a list. */
export interface RowShape {
  readonly dataset: string;
  /** All columns of the dataset's table, in its order. */
  readonly columns: readonly Column[];
  readonly heightAt: number;
  /** Positions of the key columns; undefined for lists without keys. */
  readonly keysAt: readonly number[] | undefined;
  /** Positions of the stable columns of this list. */
  readonly stableAt: readonly number[];
  /** Position of the first column of each stable field, from which its other columns follow. */
  readonly exactAt: readonly number[];
  /** Position of a stable column, not a list, that few rows share; undefined if there is none. */
  readonly namedAt: number | undefined;
}

export function rowShape({
  entry,
  dataset: { name: dataset, heightColumn, identity, sortedBy },
  keyColumns,
}: List): RowShape {
  const columns = tableColumns(dataset);
  const names = columns.map(({ name }) => name);
  const ofFields = stableFields(entry).map(columnsOf);
  const stable = ofFields.flat();
  const naming = stable.find(({ name, type }) => {
    return name === (identity[0] ?? sortedBy[0]) && type !== 'VARCHAR[]';
  });
  return {
    dataset,
    columns,
    heightAt: names.indexOf(heightColumn),
    keysAt: keyColumns?.map((name) => names.indexOf(name)),
    stableAt: stable.map(({ name }) => names.indexOf(name)),
    exactAt: ofFields.map(([first]) => names.indexOf(first?.name ?? '')),
    namedAt: naming && names.indexOf(naming.name),
  };
}

/** The cell at `namedAt`; null where there is none. */
export function nameIn(cells: readonly Cell[], { namedAt }: RowShape): Cell {
  return namedAt === undefined ? null : (cells[namedAt] ?? null);
}

/** The distinct keys under which the list shows the row; `['']` for lists without keys. */
export function touchesOf({ keysAt }: RowShape, cells: readonly Cell[]): string[] {
  return keysAt === undefined ? [''] : keysNamedIn(keysAt.map((at) => cells[at]));
}

/** A text that is equal only for decoded records with equal stable columns. */
export function rowContent({ exactAt }: RowShape, cells: readonly Cell[]): string {
  return exactContent(exactAt.map((at) => cells[at] ?? null));
}

/** The content of all stable columns: other programs and releases may have written the rows. */
export function wholeContent({ stableAt }: RowShape, cells: readonly Cell[]): string {
  return JSON.stringify(stableAt.map((at) => spelled(cells[at] ?? null)));
}

/** As `rowContent`, of the cells at `exactAt`. */
export function exactContent(exact: readonly Cell[]): string {
  return JSON.stringify(exact.map(spelled));
}

function spelled(cell: Cell): string | boolean | readonly string[] | null {
  return typeof cell === 'bigint' ? String(cell) : cell;
}
