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
  readonly #byName = new Shared<Cell>();
  readonly #byNameAndKeys = new Shared<string>();
  readonly #counts = new Map<string, number>();

  constructor(shape: RowShape) {
    this.#shape = shape;
  }

  next(row: NumberedRow): number {
    const namesakes = this.#byName.add(row.name, row);
    if (namesakes.length === 0) return 1;
    // Key columns are stable, so rows with equal stable columns have equal keys.
    const alike = namesakes.flatMap((each) => {
      return this.#byNameAndKeys.add(`${each.name} ${each.touches.join()}`, each);
    });
    const counts = alike.map((each) => this.#count(each));
    return alike.at(-1) === row ? (counts.at(-1) ?? 1) : 1;
  }

  #count({ cells }: NumberedRow): number {
    const content = rowContent(this.#shape, cells);
    const count = (this.#counts.get(content) ?? 0) + 1;
    this.#counts.set(content, count);
    return count;
  }
}

/** Finds the rows that share a value. */
class Shared<Value> {
  /** By value: its only row so far, undefined once it had several. */
  readonly #alone = new Map<Value, NumberedRow | undefined>();

  /** The rows that have turned out to share their value; none while the row is the only one. */
  add(value: Value, row: NumberedRow): readonly NumberedRow[] {
    const before = this.#alone.get(value);
    if (before === undefined && !this.#alone.has(value)) {
      this.#alone.set(value, row);
      return [];
    }
    if (before === undefined) return [row];
    this.#alone.set(value, undefined);
    return [before, row];
  }
}
