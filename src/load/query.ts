import { access } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBResultReader,
  StatementType,
} from '@duckdb/node-api';
import { Fault } from '../fault.ts';
import { literal } from '../land/parquet.ts';
import { jsonValue } from './json-value.ts';

export interface QueryOptions {
  readonly timeoutMs?: number;
  readonly maxRows?: number;
}

export interface Answer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly Record<string, unknown>[];
  /** There were more rows than `maxRows`. */
  readonly truncated: boolean;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_ROWS = 10_000;

/**
 * Answers one SELECT over the warehouse, which is opened read-only and can reach nothing but the
 * data root. Times are UTC. Throws Fault('query') for anything else than one SELECT, for what
 * DuckDB refuses, and when the time is up.
 */
export async function query(
  warehouse: string,
  sql: string,
  options: QueryOptions = {},
): Promise<Answer> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxRows = DEFAULT_MAX_ROWS } = options;
  return withWarehouse(warehouse, async (connection) => {
    await checkIsOneSelect(connection, sql);
    const reader = await inTime(connection, timeoutMs, () =>
      connection.streamAndReadUntil(sql, maxRows + 1),
    );
    return answerOf(reader, maxRows);
  });
}

/** Opens the warehouse locked down, for the time of `work`. */
export async function withWarehouse<T>(
  warehouse: string,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const path = resolve(warehouse);
  await access(path).catch((error: unknown) => {
    throw new Fault('query', 'There is no warehouse yet.', {
      where: path,
      advice: 'Run a pipeline first (windrow run), or name its data root with --data DIR.',
      cause: error,
    });
  });
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run(`SET allowed_directories = [${literal(`${dirname(path)}/`)}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function checkIsOneSelect(connection: DuckDBConnection, sql: string): Promise<void> {
  const advice = 'Give one SELECT (or FROM, WITH, DESCRIBE, EXPLAIN) and nothing else.';
  const statements = await connection.extractStatements(sql).catch(refused);
  if (statements.count !== 1) {
    throw new Fault('query', `${statements.count} statements were given.`, { advice });
  }
  const prepared = await statements.prepare(0).catch(refused);
  const { statementType } = prepared;
  prepared.destroySync();
  const isAllowed =
    statementType === StatementType.SELECT || statementType === StatementType.EXPLAIN;
  if (!isAllowed) throw new Fault('query', 'The statement is not a SELECT.', { advice });
}

async function inTime<T>(
  connection: DuckDBConnection,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection.interrupt();
  }, timeoutMs);
  try {
    return await work();
  } catch (error) {
    if (!isLate) return refused(error);
    throw new Fault('query', `The query took longer than ${timeoutMs / 1000} s.`, {
      advice: 'Ask for less (fewer blocks or addresses), or raise --timeout.',
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

function refused(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  throw new Fault('query', message.trim(), {
    advice: 'The views and their columns: SELECT view_name, column_name FROM duckdb_columns().',
    cause: error,
  });
}

function answerOf(reader: DuckDBResultReader, maxRows: number): Answer {
  const names = reader.deduplicatedColumnNames();
  const types = reader.columnTypes();
  const rows = reader.getRows().slice(0, maxRows);
  return {
    columns: names.map((name, i) => ({ name, type: String(types[i]) })),
    rows: rows.map((row) => Object.fromEntries(names.map((name, i) => [name, jsonValue(row[i])]))),
    truncated: reader.currentRowCount > maxRows,
  };
}
