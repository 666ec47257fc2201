import {
  BIGINT,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  decimalValue,
  INTEGER,
  LIST,
  listValue,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import type { Cell, SqlType } from '../../catalogue/column-kind.ts';
import type { Column } from '../../catalogue/entry.ts';
import type { ListId } from '../../coverage/list.ts';
import { identifier } from './sql-text.ts';

/** Adds rows to tables of DuckDB. */

const DUCKDB_TYPES: Record<SqlType, DuckDBType> = {
  VARCHAR,
  'VARCHAR[]': LIST(VARCHAR),
  BIGINT,
  'DECIMAL(20,0)': DECIMAL(20, 0),
  'DECIMAL(38,0)': DECIMAL(38, 0),
  'DECIMAL(38,18)': DECIMAL(38, 18),
  TIMESTAMPTZ,
  BOOLEAN,
  DOUBLE,
  DATE,
};

/** Rows per data chunk of DuckDB. */
const CHUNK_ROWS = 2048;

/** New rows, each with one cell per column. An array, or rows that are made when they are due. */
export interface AddedRows {
  readonly length: number;
  slice(start: number, end: number): readonly (readonly Cell[])[];
}

/** The names and types of the columns of a table. */
type TypedColumns = readonly Pick<Column, 'name' | 'type'>[];

/** Rows of one list that DuckDB decodes from texts. */
export interface TextRows {
  readonly list: ListId;
  /**
   * The query for the rows, given a relation of their texts (text, lineage). It joins the table
   * `lineages` (id and its own columns), and its columns have the types of the table.
   */
  readonly rowsOf: (texts: string) => string;
  readonly texts: readonly string[];
  /** Index in `lineages` by text. */
  readonly lineageAt: readonly number[];
}

export interface AddedTexts {
  readonly groups: readonly TextRows[];
  readonly lineages: { readonly columns: TypedColumns; readonly rows: readonly Cell[][] };
}

const TEXT_TYPES = [VARCHAR, INTEGER, INTEGER];

/** The columns as a statement that creates a table has them. */
export function declared(columns: TypedColumns): string {
  return columns.map(({ name, type }) => `${identifier(name)} ${type}`).join(', ');
}

/**
 * Appends rows to a table with these columns; cells that are missing at the end of a row are NULL.
 * The table is a temporary one, or one of the schema.
 */
export async function append(
  connection: DuckDBConnection,
  table: string,
  columns: TypedColumns,
  rows: AddedRows,
  schema?: string,
): Promise<void> {
  const types = columns.map((column) => DUCKDB_TYPES[column.type]);
  const place = schema === undefined ? (['main', 'temp'] as const) : ([schema] as const);
  const appender = await connection.createAppender(table, ...place);
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    const part = rows.slice(start, start + CHUNK_ROWS);
    const chunk = DuckDBDataChunk.create(types, part.length);
    columns.forEach((column, i) => {
      chunk.setColumnValues(
        i,
        part.map((cells) => duckdbValue(column.type, cells[i] ?? null)),
      );
    });
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

/**
 * Stores texts in temporary tables, in place of those before; returns one query per group, which
 * decodes its rows.
 */
export async function storeTexts(
  connection: DuckDBConnection,
  { groups, lineages }: AddedTexts,
): Promise<{ readonly list: ListId; readonly sql: string }[]> {
  const columns: TypedColumns = [{ name: 'id', type: 'BIGINT' }, ...lineages.columns];
  await connection.run(`CREATE OR REPLACE TEMP TABLE lineages (${declared(columns)})`);
  const rows = lineages.rows.map((cells, i) => [BigInt(i), ...cells]);
  await append(connection, 'lineages', columns, rows);
  await connection.run(
    'CREATE OR REPLACE TEMP TABLE texts (text VARCHAR, lineage INTEGER, "group" INTEGER)',
  );
  for (const [number, group] of groups.entries()) await fillTexts(connection, group, number);
  return groups.map(({ list, rowsOf }, number) => {
    return { list, sql: rowsOf(`(FROM temp.texts WHERE "group" = ${number})`) };
  });
}

async function fillTexts(
  connection: DuckDBConnection,
  { texts, lineageAt }: TextRows,
  group: number,
): Promise<void> {
  const appender = await connection.createAppender('texts', 'main', 'temp');
  for (let at = 0; at < texts.length; at += CHUNK_ROWS) {
    const to = Math.min(at + CHUNK_ROWS, texts.length);
    const chunk = DuckDBDataChunk.create(TEXT_TYPES, to - at);
    chunk.setColumnValues(0, texts.slice(at, to));
    chunk.setColumnValues(1, lineageAt.slice(at, to));
    chunk.setColumnValues(2, new Array<number>(to - at).fill(group));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

function duckdbValue(type: SqlType, cell: Cell): DuckDBValue {
  if (cell === null) return null;
  switch (type) {
    case 'DECIMAL(20,0)':
      return decimalValue(cell as bigint, 20, 0);
    case 'DECIMAL(38,0)':
      return decimalValue(cell as bigint, 38, 0);
    case 'DECIMAL(38,18)':
      return decimalValue(cell as bigint, 38, 18);
    case 'TIMESTAMPTZ':
      return new DuckDBTimestampTZValue(cell as bigint);
    case 'VARCHAR[]':
      return listValue(cell as readonly string[]);
    default:
      return cell as string | bigint | boolean;
  }
}
