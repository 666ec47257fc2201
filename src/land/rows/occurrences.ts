import type { Cell } from '../../catalogue/column-kind.ts';
import type { Landable } from '../rule/claim.ts';
import { nameIn, type RowShape, rowContent } from './row-shape.ts';

export interface NumberedRow {
  /** A text that is equal only for rows with equal stable columns. */
  readonly content: string;
  readonly height: number;
  /** The cell at `namedAt` of the shape; null where there is none. */
  readonly name: Cell;
  /** The keys under which the list shows the row. */
  readonly touches: readonly string[];
}

/** The row of these cells. Its content is made where it is needed. */
export function ofCells(
  shape: RowShape,
  { height, touches, cells }: Landable & { readonly cells: readonly Cell[] },
): NumberedRow {
  return {
    height,
    touches,
    name: nameIn(cells, shape),
    get content() {
      return rowContent(shape, cells);
    },
  };
}

/**
 * Numbers the rows of a walk: 1 for the first of several rows with equal stable columns, 2 for the
 * next. Heights, names and keys are stable, so rows become text only where two share all of them.
 * In lists of addresses, about half of the rows do not even share their height.
 */
export class Occurrences {
  readonly #byHeight = new Shared<number>();
  readonly #byName = new Shared<Cell>();
  readonly #byNameAndKeys = new Shared<string>();
  readonly #counts = new Map<string, number>();

  next(row: NumberedRow): number {
    const neighbours = this.#byHeight.add(row.height, row);
    if (neighbours.length === 0) return 1;
    const namesakes = neighbours.flatMap((each) => this.#byName.add(each.name, each));
    const alike = namesakes.flatMap((each) => {
      return this.#byNameAndKeys.add(`${each.name} ${each.touches.join()}`, each);
    });
    const counts = alike.map((each) => this.#count(each));
    return alike.at(-1) === row ? (counts.at(-1) ?? 1) : 1;
  }

  #count({ content }: NumberedRow): number {
    const count = (this.#counts.get(content) ?? 0) + 1;
    this.#counts.set(content, count);
    return count;
  }
}

const NONE: readonly never[] = [];

/** Finds the rows that share a value. */
class Shared<Value> {
  /** By value: its only row so far, undefined once it had several. */
  readonly #alone = new Map<Value, NumberedRow | undefined>();

  /** The rows that have turned out to share their value; none while the row is the only one. */
  add(value: Value, row: NumberedRow): readonly NumberedRow[] {
    const before = this.#alone.get(value);
    if (before === undefined && !this.#alone.has(value)) {
      this.#alone.set(value, row);
      return NONE;
    }
    if (before === undefined) return [row];
    this.#alone.set(value, undefined);
    return [before, row];
  }
}
