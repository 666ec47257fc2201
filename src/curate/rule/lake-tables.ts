import {
  BIGINT,
  BOOLEAN,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBTimestampTZValue,
  type DuckDBValue,
  LIST,
  listValue,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import { type Column, column } from '../../catalogue/entry.ts';
import type { CoverageGroup } from '../../coverage/coverage.ts';

/**
 * Tables of the warehouse beside the rows of the datasets. They are filled from the logs, because
 * no Parquet file holds these facts.
 */

const TYPES = { VARCHAR, BIGINT, BOOLEAN, TIMESTAMPTZ } as const;

export type TableColumn = Column<keyof typeof TYPES>;

type TableCell = string | bigint | boolean | DuckDBTimestampTZValue | null | readonly string[];

export interface LakeTable {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly TableColumn[];
  /** One cell per column; missing cells at the end are NULL. */
  readonly rows: readonly (readonly TableCell[])[];
  /** A column of texts whose cells are lists: a row stands for one row per text. */
  readonly severalIn?: string;
}

/** One table of the lake, at one version of its log. */
export interface TableVersion {
  readonly chain: string;
  readonly dataset: string;
  readonly version: number;
  /** Absolute paths of the data files. */
  readonly paths: readonly string[];
  /** Undefined if another program wrote a file without its row count. */
  readonly rows: number | undefined;
  readonly bytes: number;
  readonly coverage: readonly CoverageGroup[];
}

/** `lake.tables`: the versions the warehouse was built from. */
export function tablesTable(versions: readonly TableVersion[]): LakeTable {
  return {
    name: 'tables',
    comment: 'One row per table of the lake: the version this warehouse shows',
    columns: [
      column('chain', 'VARCHAR', 'Short name of the chain'),
      column('dataset', 'VARCHAR', 'Dataset, and name of its view in lake'),
      column('version', 'BIGINT', "Version of the table's log"),
      column('files', 'BIGINT', 'Data files'),
      column('rows', 'BIGINT', 'Rows according to the log; NULL if it has no row count'),
      column('bytes', 'BIGINT', 'Size of the data files [bytes]'),
    ],
    rows: versions
      .filter(({ version }) => version >= 0)
      .map(({ chain, dataset, version, paths, rows, bytes }) => [
        chain,
        dataset,
        BigInt(version),
        BigInt(paths.length),
        rows === undefined ? null : BigInt(rows),
        BigInt(bytes),
      ]),
  };
}

/** Rows per data chunk of DuckDB. */
const CHUNK_ROWS = 2048;

/** Appends the rows to the table of this name. */
export async function fillLakeTable(
  connection: DuckDBConnection,
  { name, columns, rows, severalIn }: Omit<LakeTable, 'comment'>,
  schema = 'lake',
): Promise<void> {
  const types = columns.map((column) => {
    return column.name === severalIn ? LIST(VARCHAR) : TYPES[column.type];
  });
  if (severalIn !== undefined) {
    const all = columns.map(({ name: column, type }) => {
      return `${column} ${column === severalIn ? 'VARCHAR[]' : type}`;
    });
    await connection.run(`CREATE TEMP TABLE grouped (${all.join(', ')})`);
  }
  const appender =
    severalIn === undefined
      ? await connection.createAppender(name, schema)
      : await connection.createAppender('grouped', 'main', 'temp');
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    const part = rows.slice(start, start + CHUNK_ROWS);
    const chunk = DuckDBDataChunk.create(types, part.length);
    columns.forEach((_, i) => {
      chunk.setColumnValues(
        i,
        part.map((cells) => cellOf(cells[i] ?? null)),
      );
    });
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  if (severalIn === undefined) return;
  await connection.run(
    `INSERT INTO ${schema}.${name} SELECT * REPLACE (unnest(${severalIn}) AS ${severalIn})
     FROM temp.grouped;
     DROP TABLE temp.grouped`,
  );
}

function cellOf(cell: TableCell): DuckDBValue {
  return Array.isArray(cell) ? listValue(cell) : (cell as DuckDBValue);
}
