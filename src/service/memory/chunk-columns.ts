import { isExactAsDouble } from '../../catalogue/decimal.ts';
import { wordsOfDataset } from '../../catalogue/index.ts';
import { hash } from '../../catalogue/kind.ts';
import type { CanonicalRecord } from '../../catalogue/record.ts';
import { partyColumns, valuesIn } from '../protocol/record-values.ts';
import { askedColumns } from './asked-columns.ts';

/**
 * What questions ask of the records of one dataset in some neighbouring heights, column by column:
 * 20 to 30 bytes a record where the record itself takes 700. Computed from the records, which are
 * let go.
 */
export interface ChunkColumns {
  /** Of each record how far its height lies above the first one; never falling. */
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
  /** Equal marks are equal values; else they may be, and the record has to be looked at. */
  readonly isExact: boolean;
}

/** The numbers of a column, rounded to doubles; NaN for what is not a number. */
export interface BoundedColumn {
  readonly numbers: Float64Array;
  /** 1 where nothing was lost by rounding. */
  readonly exact: Uint8Array;
}

/** Stands for no value, and for several. */
const NONE = 0;
export const SEVERAL = 1;

/** Marks for values that come back: each value gets one of its own, from 2 up. */
export class Marks {
  readonly #marks = new Map<string, number>();

  /** The value's mark, a new one for a value that was not seen yet. */
  of(value: string): number {
    const known = this.#marks.get(value);
    if (known !== undefined) return known;
    const mark = this.#marks.size + SEVERAL + 1;
    this.#marks.set(value, mark);
    return mark;
  }

  /** The value's mark; undefined where no column has it. */
  find(value: string): number | undefined {
    return this.#marks.get(value);
  }
}

/** Hashes hardly ever come back: their first 32 bits are their mark. */
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
    const { named, bounded } = askedColumns(dataset);
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

  /** Adds the records of a height, which lies so far above the first one. */
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

  /** What was gathered, as small as it gets. */
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

/** What columns without a record take, about. */
const BYTES_OF_COLUMNS = 1000;
