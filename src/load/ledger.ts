import {
  BIGINT,
  BOOLEAN,
  type DuckDBConnection,
  DuckDBTimestampTZValue,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api';
import { endpointAt, paramOf } from '../catalogue/index.ts';
import type { Lake } from '../land/lake.ts';
import type { CoverageEntry } from '../plan/coverage.ts';
import { blocksIn } from '../plan/ranges.ts';

/** What the logs say beside rows, as small tables of the warehouse. */

const COVERAGE = [
  ['endpoint', 'VARCHAR', 'Endpoint that was asked'],
  ['dataset', 'VARCHAR', 'Dataset it feeds'],
  ['variant', 'VARCHAR', 'Filters it was asked with'],
  ['address', 'VARCHAR', 'Key it was asked for; empty for lists without keys'],
  ['from_block', 'BIGINT', 'First height, inclusive'],
  ['to_block', 'BIGINT', 'Last height, inclusive'],
  ['blocks', 'BIGINT', 'Heights in the interval'],
  ['status', 'VARCHAR', 'complete, provisional, truncated, inconsistent ...'],
  ['reason', 'VARCHAR', 'Why, where the status does not say all'],
  ['head', 'BIGINT', 'Head of the chain when it was read'],
  ['read_at', 'TIMESTAMPTZ', 'When it was read [UTC]'],
  ['side', 'VARCHAR', 'Which side of a record the address was asked on: from, to, or both'],
  ['is_shared', 'BOOLEAN', 'Another list of the dataset may hold the same records'],
] as const;

/** `lake.coverage`: every known interval of every key, as the logs say. */
export async function fillCoverage(connection: DuckDBConnection, lake: Lake): Promise<void> {
  await create(connection, 'lake.coverage', 'What is known of every key and interval', COVERAGE);
  const appender = await connection.createAppender('coverage', 'lake');
  for (const entry of (await lake.coverage()).entries()) {
    appender.appendValue(entry.endpoint, VARCHAR);
    appender.appendValue(endpointAt(entry.endpoint).dataset, VARCHAR);
    appender.appendValue(entry.variant, VARCHAR);
    appender.appendValue(entry.key, VARCHAR);
    appender.appendValue(BigInt(entry.from), BIGINT);
    appender.appendValue(BigInt(entry.to), BIGINT);
    appender.appendValue(BigInt(blocksIn(entry)), BIGINT);
    appender.appendValue(entry.status, VARCHAR);
    appender.appendValue(entry.reason, VARCHAR);
    appender.appendValue(BigInt(entry.head), BIGINT);
    const readAt = new DuckDBTimestampTZValue(BigInt(entry.readAtMs) * 1000n);
    appender.appendValue(readAt, TIMESTAMPTZ);
    appender.appendValue(side(entry), VARCHAR);
    appender.appendValue(false, BOOLEAN);
    appender.endRow();
  }
  appender.closeSync();
}

function side(entry: CoverageEntry): string | null {
  if (entry.key === '') return null;
  const param = paramOf(endpointAt(entry.endpoint), 'side');
  const [, value = 'both'] = new RegExp(`(?:^|&)${param?.name}=(\\w+)`).exec(entry.variant) ?? [];
  return value;
}

const TABLES = [
  ['dataset', 'VARCHAR', 'Name of the table'],
  ['chain', 'VARCHAR', 'Short name of its chain'],
  ['version', 'BIGINT', 'Version that the views show'],
  ['files', 'BIGINT', 'Data files of that version'],
  ['rows', 'BIGINT', 'Rows of that version, by the log'],
  ['bytes', 'BIGINT', 'Size of the files [bytes]'],
] as const;

/** `lake.tables`: the version of every table that the views show. */
export async function fillTables(connection: DuckDBConnection, lake: Lake): Promise<void> {
  await create(connection, 'lake.tables', 'The tables and their versions', TABLES);
  const appender = await connection.createAppender('tables', 'lake');
  for (const table of await lake.tables()) {
    const { version, files } = await table.snapshot();
    const all = [...files.values()];
    appender.appendValue(table.dataset.name, VARCHAR);
    appender.appendValue(lake.chain, VARCHAR);
    appender.appendValue(BigInt(version), BIGINT);
    appender.appendValue(BigInt(all.length), BIGINT);
    appender.appendValue(sum(all.map((file) => file.rows ?? 0)), BIGINT);
    appender.appendValue(sum(all.map((file) => file.sizeBytes)), BIGINT);
    appender.endRow();
  }
  appender.closeSync();
}

function sum(values: readonly number[]): bigint {
  return BigInt(values.reduce((total, value) => total + value, 0));
}

async function create(
  connection: DuckDBConnection,
  table: string,
  comment: string,
  columns: readonly (readonly [string, string, string])[],
): Promise<void> {
  const list = columns.map(([name, type]) => `${name} ${type}`).join(', ');
  await connection.run(`CREATE TABLE ${table} (${list})`);
  await connection.run(`COMMENT ON TABLE ${table} IS '${comment}'`);
  for (const [name, , meaning] of columns) {
    await connection.run(`COMMENT ON COLUMN ${table}.${name} IS '${meaning}'`);
  }
}
