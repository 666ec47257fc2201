import { hash } from '../../../src/catalogue/column-kind.ts';
import { isExactAsDouble } from '../../../src/catalogue/decimal.ts';
import { wordsOfDataset } from '../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { partyColumns, valuesIn } from '../protocol/record-values.ts';
import { filterColumns } from './filter-columns.ts';

/**
 * The columns that questions filter by, for the records of one dataset in some neighbouring
 * heights: 20 to 30 bytes a record, where the record itself takes 700. They are computed from the
 * records, which are not kept.
 */
export interface ChunkColumns {
  /** The offset of each record's height from the first height; never decreases. */
  readonly heights: Uint16Array;
  readonly named: ReadonlyMap<string, NamedColumn>;
  readonly bounded: ReadonlyMap<string, BoundedColumn>;
  readonly bytes: number;
}

/** The values of a column, as marks. */
export interface NamedColumn {
  readonly marks: Uint32Array;
  /** The marks of records that name several values, by position. */
  readonly several: ReadonlyMap<number, readonly number[]>;
  /** Whether equal marks mean equal values. Otherwise the record itself must be compared. */
  readonly isExact: boolean;
}

/** The numbers of a column, rounded to doubles; NaN for values that are not numbers. */
export interface BoundedColumn {
  readonly numbers: Float64Array;
  /** 1 if rounding lost nothing. */
  readonly exact: Uint8Array;
}

/** Marks a record with no value, or with several. */
const NONE = 0;
export const SEVERAL = 1;

/** Marks for values that recur: each value gets its own mark, from 2 up. */
export class Marks {
  readonly #marks = new Map<string, number>();

  /** The value's mark; a new value gets a new one. */
  of(value: string): number {
    const known = this.#marks.get(value);
    if (known !== undefined) return known;
    const mark = this.#marks.size + SEVERAL + 1;
    this.#marks.set(value, mark);
    return mark;
  }

  /** The value's mark; undefined if no column contains it. */
  find(value: string): number | undefined {
    return this.#marks.get(value);
  }
}

/** Hashes hardly ever recur: their first 32 bits are their mark. */
export function hashMark(value: string): number {
  return Number.parseInt(value.slice(2, 10), 16) >>> 0;
}

interface Gathered {
  readonly named: readonly {
    readonly column: string;
    readonly isExact: boolean;
    readonly marks: number[];
    readonly several: Map<number, readonly number[]>;
  }[];
  readonly bounded: readonly {
    readonly column: string;
    readonly numbers: number[];
    readonly exact: number[];
  }[];
}

/** Gathers the columns of a dataset, height by height. */
export class ColumnsBuilder {
  readonly #marks: Marks;
  readonly #parties: ReadonlySet<string>;
  readonly #heights: number[] = [];
  readonly #gathered: Gathered;

  constructor(dataset: string, marks: Marks) {
    const { named, bounded } = filterColumns(dataset);
    const hashes = wordsOfDataset(dataset).filter(({ kind }) => kind === hash);
    const inexact = new Set(hashes.map(({ column }) => column));
    this.#marks = marks;
    this.#parties = partyColumns(dataset);
    this.#gathered = {
      named: named.map((column) => {
        return { column, isExact: !inexact.has(column), marks: [], several: new Map() };
      }),
      bounded: bounded.map((column) => ({ column, numbers: [], exact: [] })),
    };
  }

  /** Adds the records of a height, `above` heights after the first one. */
  add(records: readonly CanonicalRecord[], above: number): void {
    const { named, bounded } = this.#gathered;
    for (const record of records) {
      const position = this.#heights.push(above) - 1;
      for (const { column, isExact, marks, several } of named) {
        const values = valuesIn(record[column] ?? null, this.#parties.has(column));
        const own = values.map((value) => (isExact ? this.#marks.of(value) : hashMark(value)));
        if (own.length > 1) several.set(position, own);
        marks.push(own.length > 1 ? SEVERAL : (own[0] ?? NONE));
      }
      for (const { column, numbers, exact } of bounded) {
        const value = record[column];
        numbers.push(typeof value === 'string' ? Number(value) : Number.NaN);
        exact.push(typeof value === 'string' && isExactAsDouble(value) ? 1 : 0);
      }
    }
  }

  /** The collected columns in their smallest form. */
  columns(): ChunkColumns {
    const { named, bounded } = this.#gathered;
    const records = this.#heights.length;
    return {
      heights: Uint16Array.from(this.#heights),
      named: new Map(
        named.map(({ column, marks, ...rest }) => {
          return [column, { ...rest, marks: Uint32Array.from(marks) }];
        }),
      ),
      bounded: new Map(
        bounded.map(({ column, numbers, exact }) => {
          return [column, { numbers: Float64Array.from(numbers), exact: Uint8Array.from(exact) }];
        }),
      ),
      bytes: BYTES_OF_COLUMNS + records * (2 + named.length * 4 + bounded.length * 9),
    };
  }
}

/** Approximate size of columns without records. */
const BYTES_OF_COLUMNS = 1000;
