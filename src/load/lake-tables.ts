import {
  BIGINT,
  BOOLEAN,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBTimestampTZValue,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import type { CoverageEntry } from '../plan/coverage.ts';
import { blocksIn } from '../plan/ranges.ts';
import { type List, mayShareRecords, sideOf } from './lists.ts';

/**
 * What the warehouse knows beside the rows of the datasets: tables of its own, filled from the
 * logs, because these facts stand in no Parquet file.
 */

const TYPES = { VARCHAR, BIGINT, BOOLEAN, TIMESTAMPTZ } as const;

interface TableColumn {
  readonly name: string;
  readonly type: keyof typeof TYPES;
  readonly comment: string;
}

type TableCell = string | bigint | boolean | DuckDBTimestampTZValue | null;

export interface LakeTable {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly TableCell[])[];
}

/** One table of the lake, at one version of its log. */
export interface TableVersion {
  readonly dataset: string;
  readonly version: number;
  /** Absolute paths of the data files. */
  readonly paths: readonly string[];
  /** Undefined where a foreign writer did not say how many rows a file has. */
  readonly rows: number | undefined;
  readonly bytes: number;
  readonly coverage: readonly CoverageEntry[];
}

/** `lake.tables`: the versions the warehouse was built from. */
export function tablesTable(chain: string, versions: readonly TableVersion[]): LakeTable {
  return {
    name: 'tables',
    comment: 'One row per table of the lake: the version this warehouse shows',
    columns: [
      { name: 'chain', type: 'VARCHAR', comment: 'Short name of the chain' },
      { name: 'dataset', type: 'VARCHAR', comment: 'Dataset, and name of its view in lake' },
      { name: 'version', type: 'BIGINT', comment: "Version of the table's log" },
      { name: 'files', type: 'BIGINT', comment: 'Data files' },
      { name: 'rows', type: 'BIGINT', comment: 'Rows, as the log says; NULL where it does not' },
      { name: 'bytes', type: 'BIGINT', comment: 'Size of the data files [bytes]' },
    ],
    rows: versions
      .filter(({ version }) => version >= 0)
      .map(({ dataset, version, paths, rows, bytes }) => [
        chain,
        dataset,
        BigInt(version),
        BigInt(paths.length),
        rows === undefined ? null : BigInt(rows),
        BigInt(bytes),
      ]),
  };
}

/** `lake.coverage`: every entry of every log, with what its list can and cannot hold. */
export function coverageTable(versions: readonly TableVersion[]): LakeTable {
  const lists = versions.flatMap(({ dataset, coverage }) => listsOf(dataset, coverage));
  const traits = new Map(
    lists.map((list) => [
      idOf(list),
      {
        side: sideOf(list) ?? null,
        isShared: lists.some((other) => mayShareRecords(list, other)),
      },
    ]),
  );
  return {
    name: 'coverage',
    comment: 'One row per list (endpoint and variant), address and interval of known status',
    columns: COVERAGE_COLUMNS,
    rows: versions.flatMap(({ dataset, coverage }) =>
      coverage.map((entry) => {
        const { side, isShared } = traits.get(idOf({ dataset, ...entry })) ?? NO_TRAITS;
        return [
          entry.endpoint,
          dataset,
          entry.variant,
          side,
          isShared,
          entry.key,
          BigInt(entry.from),
          BigInt(entry.to),
          BigInt(blocksIn(entry)),
          entry.status,
          entry.reason,
          BigInt(entry.head),
          new DuckDBTimestampTZValue(BigInt(Math.trunc(entry.readAtMs)) * 1000n),
        ];
      }),
    ),
  };
}

const NO_TRAITS = { side: null, isShared: false };

const COVERAGE_COLUMNS: readonly TableColumn[] = [
  { name: 'endpoint', type: 'VARCHAR', comment: 'Endpoint that was asked' },
  { name: 'dataset', type: 'VARCHAR', comment: 'Dataset its records are in' },
  { name: 'variant', type: 'VARCHAR', comment: 'Filters it was asked with, or empty' },
  {
    name: 'side',
    type: 'VARCHAR',
    comment:
      'Which records of the address the list holds: from (sent), to (received) or both; ' +
      'NULL where the key is not a sender or recipient',
  },
  {
    name: 'is_shared',
    type: 'BOOLEAN',
    comment: 'Another list of the dataset may hold the same records',
  },
  { name: 'address', type: 'VARCHAR', comment: 'Key that was asked for; empty for lists of all' },
  { name: 'from_block', type: 'BIGINT', comment: 'First block of the interval' },
  { name: 'to_block', type: 'BIGINT', comment: 'Last block of the interval' },
  { name: 'blocks', type: 'BIGINT', comment: 'Blocks in the interval, both ends included' },
  {
    name: 'status',
    type: 'VARCHAR',
    comment: 'complete, provisional, truncated, depth_limited, inconsistent or failed',
  },
  { name: 'reason', type: 'VARCHAR', comment: 'Why, where the status does not say all' },
  { name: 'head', type: 'BIGINT', comment: 'Head of the chain when it was read; the oldest one' },
  { name: 'read_at', type: 'TIMESTAMPTZ', comment: 'When it was read; the oldest time [UTC]' },
];

function listsOf(dataset: string, coverage: readonly CoverageEntry[]): List[] {
  const lists = new Map<string, List>();
  for (const { endpoint, variant } of coverage) {
    const list = { dataset, endpoint, variant };
    lists.set(idOf(list), list);
  }
  return [...lists.values()];
}

function idOf({ dataset, endpoint, variant }: List): string {
  return `${dataset} ${endpoint}?${variant}`;
}

/** Rows per data chunk of DuckDB. */
const CHUNK_ROWS = 2048;

/** Creates the table in schema `lake` and fills it. */
export async function createLakeTable(
  connection: DuckDBConnection,
  { name, columns, rows }: LakeTable,
): Promise<void> {
  const list = columns.map((column) => `${column.name} ${column.type}`).join(', ');
  await connection.run(`CREATE TABLE lake.${name} (${list})`);
  const types = columns.map(({ type }) => TYPES[type]);
  const appender = await connection.createAppender(name, 'lake');
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    const part = rows.slice(start, start + CHUNK_ROWS);
    const chunk = DuckDBDataChunk.create(types, part.length);
    columns.forEach((_, i) => {
      chunk.setColumnValues(
        i,
        part.map((cells) => cells[i] ?? null),
      );
    });
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}
