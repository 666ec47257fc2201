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
}

export function rowShape({ entry, dataset, keyColumns }: List): RowShape {
  const columns = tableColumns(dataset.name);
  const names = columns.map(({ name }) => name);
  const stable = stableFields(entry).flatMap(columnsOf);
  return {
    dataset: dataset.name,
    columns,
    heightAt: names.indexOf(dataset.heightColumn),
    keysAt: keyColumns?.map((name) => names.indexOf(name)),
    stableAt: stable.map(({ name }) => names.indexOf(name)),
  };
}

/** The distinct keys under which the list shows the row; `['']` for lists without keys. */
export function touchesOf({ keysAt }: RowShape, cells: readonly Cell[]): string[] {
  return keysAt === undefined ? [''] : keysNamedIn(keysAt.map((at) => cells[at]));
}

/** The content of all stable columns: other programs and releases may have written the rows. */
export function wholeContent({ stableAt }: RowShape, cells: readonly Cell[]): string {
  return JSON.stringify(stableAt.map((at) => spelled(cells[at] ?? null)));
}

function spelled(cell: Cell): string | boolean | readonly string[] | null {
  return typeof cell === 'bigint' ? String(cell) : cell;
}
