import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { identifier } from '../../land/storage/sql-text.ts';
import type { PreparedSelect, SelectedColumn } from '../../load/query/stream.ts';

/**
 * The types that a file format holds without loss, and the casts for all others. Most important:
 * DuckDB writes 128-bit integers, the type of sums, to Parquet as DOUBLE, so they are always cast.
 */

/** The types of numbers but those of 128 bits or more. */
export const NUMBER_TYPES: readonly DuckDBTypeId[] = [
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
];

/** A column of the file. */
export interface Carried {
  /** SQL for the value, with the column's name. */
  readonly expression: string;
  /** A note for readers of the file. */
  readonly note?: string;
}

/** The SQL type that holds a scalar type; undefined for text or JSON. */
export type Leaf = (type: DuckDBType) => string;

/** A type in SQL with all of its parts replaced; unchanged if no part needs it. */
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

/** Whether a type is nested. */
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

/** A value of any type as text: nested values as JSON, others as DuckDB writes them. */
export function textSql({ name, type }: SelectedColumn): string {
  const value = identifier(name);
  if (!isNested(type)) return `CAST(${value} AS VARCHAR)`;
  // Numbers that JSON readers would round are written as text.
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

/** A column as another type; `lossOf` is the reason of a note where a part of it becomes text. */
export function carriedAs(
  { name, type }: SelectedColumn,
  wanted: string,
  lossOf: (type: DuckDBType) => string,
): Carried {
  const as = identifier(name);
  if (wanted === String(type)) return { expression: as };
  const expression = `CAST(${as} AS ${wanted}) AS ${as}`;
  if (!wanted.includes('VARCHAR')) return { expression };
  return { expression, note: `${name} is ${wanted}: ${lossOf(type)}.` };
}

/** A column as text, with a note. */
export function carriedAsText(column: SelectedColumn, note: string): Carried {
  const expression = `${textSql(column)} AS ${identifier(column.name)}`;
  return { expression, note: `${column.name} is ${note}.` };
}

/** The columns of a selection as one list of expressions, with notes; `asText` are too wide. */
export function carriedBy(
  carrier: (column: SelectedColumn) => Carried,
  columns: readonly SelectedColumn[],
  asText: ReadonlySet<string> = new Set(),
): { readonly expressions: string; readonly notes: readonly string[] } {
  const carried = columns.map((column) => {
    if (!asText.has(column.name)) return carrier(column);
    return carriedAsText(column, 'text: it has whole numbers of more than 38 digits');
  });
  return {
    expressions: carried.map(({ expression }) => expression).join(', '),
    notes: carried.flatMap(({ note }) => note ?? []),
  };
}

/**
 * The expressions for a format that holds 128-bit integers as `WIDE_AS`: where a value does not
 * fit, its column is text. Such columns are rare, and only their rows are read beforehand.
 */
export async function carriedExactly(
  carrier: (column: SelectedColumn) => Carried,
  selection: PreparedSelect,
) {
  const unfit = await columnsWith(selection, ({ name, type }) => {
    const narrow = carriedType(type, wideLeaf);
    if (narrow === String(type)) return undefined;
    const fitting = `TRY_CAST(${identifier(name)} AS ${narrow})`;
    return `CAST(${fitting} AS ${type}) IS DISTINCT FROM ${identifier(name)}`;
  });
  return carriedBy(carrier, selection.columns, unfit);
}

/** Names of the columns in which a row meets the column's condition, if it has one. */
export async function columnsWith(
  { columns, measure }: PreparedSelect,
  conditionOf: (column: SelectedColumn) => string | undefined,
): Promise<ReadonlySet<string>> {
  const tests = columns.flatMap((column) => {
    const condition = conditionOf(column);
    return condition === undefined ? [] : [{ name: column.name, condition }];
  });
  if (tests.length === 0) return new Set();
  const counts = await measure(tests.map(({ condition }) => `count_if(${condition})`).join(', '));
  return new Set(tests.flatMap(({ name }, i) => (Number(counts[i] ?? 0) > 0 ? [name] : [])));
}

function wideLeaf(type: DuckDBType): string {
  return isWide(type) ? WIDE_AS : String(type);
}
