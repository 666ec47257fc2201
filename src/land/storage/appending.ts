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
import { identifier } from './sql-text.ts';

/** Adds rows to temporary tables of DuckDB. */

const DUCKDB_TYPES: Record<SqlType, DuckDBType> = {
  VARCHAR,
  'VARCHAR[]': LIST(VARCHAR),
  BIGINT,
  'DECIMAL(38,0)': DECIMAL(38, 0),
  'DECIMAL(38,18)': DECIMAL(38, 18),
  TIMESTAMPTZ,
  BOOLEAN,
  DOUBLE,
  DATE,
};

/** Rows per data chunk of DuckDB. */
const CHUNK_ROWS = 2048;
/** Texts that are decoded by one statement; it holds them twice. */
const TEXTS = 10 * CHUNK_ROWS;

/** New rows, each with one cell per column. An array, or rows that are made when they are due. */
export interface AddedRows {
  readonly length: number;
  slice(start: number, end: number): readonly (readonly Cell[])[];
}

/** The names and types of the columns of a table. */
type TypedColumns = readonly Pick<Column, 'name' | 'type'>[];

/** Rows that DuckDB decodes from texts. */
export interface TextRows {
  /** The rows of the tables `texts` (text, lineage) and `lineages` (id and its own columns). */
  readonly query: string;
  readonly texts: readonly string[];
  /** Index in `lineages` by text. */
  readonly lineageAt: readonly number[];
}

export interface AddedTexts {
  readonly groups: readonly TextRows[];
  readonly lineages: { readonly columns: TypedColumns; readonly rows: readonly Cell[][] };
}

const TEXT_TYPES = [VARCHAR, INTEGER];

/** Appends rows to a temporary table with these columns. */
export async function append(
  connection: DuckDBConnection,
  table: string,
  columns: TypedColumns,
  rows: AddedRows,
): Promise<void> {
  const types = columns.map((column) => DUCKDB_TYPES[column.type]);
  const appender = await connection.createAppender(table, 'main', 'temp');
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

/** Appends rows that are decoded from texts to a temporary table. */
export async function appendTexts(
  connection: DuckDBConnection,
  table: string,
  { groups, lineages }: AddedTexts,
): Promise<void> {
  if (groups.length === 0) return;
  const columns: TypedColumns = [{ name: 'id', type: 'BIGINT' }, ...lineages.columns];
  const list = columns.map(({ name, type }) => `${identifier(name)} ${type}`).join(', ');
  await connection.run(`CREATE OR REPLACE TEMP TABLE lineages (${list})`);
  const rows = lineages.rows.map((cells, i) => [BigInt(i), ...cells]);
  await append(connection, 'lineages', columns, rows);
  for (const group of groups) {
    for (let start = 0; start < group.texts.length; start += TEXTS) {
      await connection.run(`CREATE OR REPLACE TEMP TABLE texts (text VARCHAR, lineage INTEGER)`);
      await fillTexts(connection, group, start, Math.min(start + TEXTS, group.texts.length));
      await connection.run(`INSERT INTO ${identifier(table)} BY NAME ${group.query}`);
    }
  }
  await connection.run('DROP TABLE texts; DROP TABLE lineages');
}

async function fillTexts(
  connection: DuckDBConnection,
  { texts, lineageAt }: TextRows,
  start: number,
  end: number,
): Promise<void> {
  const appender = await connection.createAppender('texts', 'main', 'temp');
  for (let at = start; at < end; at += CHUNK_ROWS) {
    const to = Math.min(at + CHUNK_ROWS, end);
    const chunk = DuckDBDataChunk.create(TEXT_TYPES, to - at);
    chunk.setColumnValues(0, texts.slice(at, to));
    chunk.setColumnValues(1, lineageAt.slice(at, to));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

function duckdbValue(type: SqlType, cell: Cell): DuckDBValue {
  if (cell === null) return null;
  switch (type) {
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
