import type { Cell } from '../../catalogue/column-kind.ts';
import { type RowShape, rowContent } from './row-shape.ts';

export interface NumberedRow {
  readonly cells: readonly Cell[];
  /** The cell at `namedAt` of the shape; null where there is none. */
  readonly name: Cell;
  /** The keys under which the list shows the row. */
  readonly touches: readonly string[];
}

/**
 * Numbers the rows of a walk: 1 for the first of several rows with equal stable columns, 2 for the
 * next. Rows become text only where two share their keys and their value in the first identifying
 * column, because most rows share these with no other.
 */
export class Occurrences {
  readonly #shape: RowShape;
  /** By that value and keys: their only row so far, undefined once they had several. */
  readonly #alone = new Map<string, NumberedRow | undefined>();
  readonly #counts = new Map<string, number>();

  constructor(shape: RowShape) {
    this.#shape = shape;
  }

  next(row: NumberedRow): number {
    const name = this.#shape.areKeysStable ? `${row.name} ${row.touches.join()}` : `${row.name}`;
    const before = this.#alone.get(name);
    if (before === undefined && !this.#alone.has(name)) {
      this.#alone.set(name, row);
      return 1;
    }
    if (before !== undefined) {
      this.#count(before);
      this.#alone.set(name, undefined);
    }
    return this.#count(row);
  }

  #count({ cells }: NumberedRow): number {
    const content = rowContent(this.#shape, cells);
    const count = (this.#counts.get(content) ?? 0) + 1;
    this.#counts.set(content, count);
    return count;
  }
}
