import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { Fault } from '../fault.ts';
import { identifier } from '../land/storage/sql-text.ts';
import type { PreparedSelect, SelectedColumn } from '../load/query/stream.ts';

/**
 * What a file format can carry without loss, and what must be cast for it. Above all: DuckDB
 * writes 128-bit integers, which sums are, to Parquet as DOUBLE, so they must never get there.
 */

/** A column as it is written. */
export interface Carried {
  /** SQL for the value, with the column's name. */
  readonly expression: string;
  /** What the reader of the file should know. */
  readonly note?: string;
}

/** For a type without parts: the SQL type that carries it; undefined for text or JSON. */
export type Leaf = (type: DuckDBType) => string;

/** A type in SQL, with every part replaced by what carries it; the same text where nothing is. */
export function carriedType(type: DuckDBType, leaf: Leaf): string {
  switch (type.typeId) {
    case DuckDBTypeId.LIST:
      return `${carriedType(type.valueType, leaf)}[]`;
    case DuckDBTypeId.ARRAY:
      return `${carriedType(type.valueType, leaf)}[${type.length}]`;
    case DuckDBTypeId.MAP:
      return `MAP(${carriedType(type.keyType, leaf)}, ${carriedType(type.valueType, leaf)})`;
    case DuckDBTypeId.STRUCT: {
      const entries = type.entryTypes.map(
        (entry, i) => `${identifier(type.entryNames[i] ?? '')} ${carriedType(entry, leaf)}`,
      );
      return `STRUCT(${entries.join(', ')})`;
    }
    default:
      return leaf(type);
  }
}

const WIDE: readonly DuckDBTypeId[] = [DuckDBTypeId.HUGEINT, DuckDBTypeId.UHUGEINT];

/** The widest exact whole number of Parquet readers and of Arrow: 38 digits. */
export const WIDE_AS = 'DECIMAL(38,0)';

export function isWide(type: DuckDBType): boolean {
  return WIDE.includes(type.typeId);
}

/** Whether values may have more digits than `WIDE_AS` has. */
function holdsWide(type: DuckDBType): boolean {
  let found = false;
  carriedType(type, (leaf) => {
    found ||= isWide(leaf);
    return '';
  });
  return found;
}

/** Whether a type has parts. */
export function isNested(type: DuckDBType): boolean {
  return NESTED.includes(type.typeId);
}

const NESTED: readonly DuckDBTypeId[] = [
  DuckDBTypeId.LIST,
  DuckDBTypeId.ARRAY,
  DuckDBTypeId.MAP,
  DuckDBTypeId.STRUCT,
  DuckDBTypeId.UNION,
  DuckDBTypeId.VARIANT,
];

/** A value of any type as text: what has parts as JSON, the rest as DuckDB spells it. */
export function textSql({ name, type }: SelectedColumn): string {
  const value = identifier(name);
  if (!isNested(type)) return `CAST(${value} AS VARCHAR)`;
  // Numbers that readers of JSON would round are text in it.
  const parts = `CAST(${value} AS ${carriedType(type, jsonLeaf)})`;
  return `CASE WHEN ${value} IS NOT NULL THEN CAST(to_json(${parts}) AS VARCHAR) END`;
}

const ROUNDED_IN_JSON: readonly DuckDBTypeId[] = [
  ...WIDE,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.DECIMAL,
];

function jsonLeaf(type: DuckDBType): string {
  return ROUNDED_IN_JSON.includes(type.typeId) ? 'VARCHAR' : String(type);
}

/** Says how each column of a selection is written, given those that must be text. */
export type Carrier = (column: SelectedColumn, isText: boolean) => Carried;

/** The columns of a selection as one list of expressions, and what to note of them. */
export function carriedBy(
  carrier: Carrier,
  columns: readonly SelectedColumn[],
  asText: ReadonlySet<string>,
): { readonly expressions: string; readonly notes: readonly string[] } {
  const carried = columns.map((column) => carrier(column, asText.has(column.name)));
  return {
    expressions: carried.map(({ expression }) => expression).join(', '),
    notes: carried.flatMap(({ note }) => note ?? []),
  };
}

/**
 * Writes with 128-bit integers as `WIDE_AS`. Should one not fit, then once more, with its column
 * as text: rare sums are that large, so the rows are not read twice to find out beforehand.
 */
export async function withWideAsDecimals<T>(
  selection: PreparedSelect,
  write: (asText: ReadonlySet<string>) => Promise<T>,
): Promise<T> {
  try {
    return await write(new Set());
  } catch (error) {
    if (!(error instanceof Fault) || !error.message.startsWith('Conversion Error')) throw error;
    const unfit = await unfitColumns(selection);
    if (unfit.size === 0) throw error;
    return write(unfit);
  }
}

/** The columns that hold a whole number of more than 38 digits. */
async function unfitColumns({ columns, read }: PreparedSelect): Promise<ReadonlySet<string>> {
  const wide = columns.filter(({ type }) => holdsWide(type));
  if (wide.length === 0) return new Set();
  const counts = wide.map(({ name, type }) => {
    const fitting = `TRY_CAST(${identifier(name)} AS ${carriedType(type, wideLeaf)})`;
    return `count_if(CAST(${fitting} AS ${type}) IS DISTINCT FROM ${identifier(name)})`;
  });
  const unfit = new Set<string>();
  for await (const chunk of (await read(counts.join(', '))).chunks) {
    wide.forEach(({ name }, i) => {
      if (Number(chunk.getColumnVector(i).getItem(0)) > 0) unfit.add(name);
    });
  }
  return unfit;
}

function wideLeaf(type: DuckDBType): string {
  return isWide(type) ? WIDE_AS : String(type);
}
