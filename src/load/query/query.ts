import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { Fault } from '../../fault.ts';
import { withoutBackticks } from './backticks.ts';
import { jsonValue } from './json-values.ts';
import { adviceOn, messageOf, withWarehouse } from './open-warehouse.ts';
import { checkStatement, refusedStatement } from './statement.ts';
import { withinTime } from './time-limit.ts';

export interface QueryLimits {
  /** Milliseconds after which the query is stopped; 60,000 by default. */
  readonly timeoutMs?: number;
  /** Most rows of an answer; 10,000 by default. */
  readonly maxRows?: number;
  /** The data root; by default the folder of the warehouse. */
  readonly root?: string;
  /** Stops the query when it is aborted. */
  readonly stop?: AbortSignal;
}

/** A warehouse, and the data root whose files its views name. */
export interface WarehousePlace {
  readonly warehouse: string;
  readonly root: string;
}

export interface QueryColumn {
  readonly name: string;
  /** DuckDB's name of the type: `VARCHAR`, `DECIMAL(38,18)`, `TIMESTAMP WITH TIME ZONE` ... */
  readonly type: string;
}

export type QueryRow = Readonly<Record<string, unknown>>;

export interface QueryResult {
  readonly columns: readonly QueryColumn[];
  /** Values by column, converted by `jsonValue`. */
  readonly rows: readonly QueryRow[];
  /** There were more rows than `maxRows`. */
  readonly truncated: boolean;
}

/**
 * Answers one SELECT over a warehouse, opened read-only and locked down to its data root. Names may
 * stand in backticks. Of columns with equal names, the later ones get a numeric suffix. Throws
 * Fault('query') without a warehouse, for other statements, for errors of DuckDB, and after the
 * time limit.
 */
export async function query(
  warehousePath: string,
  sql: string,
  limits: QueryLimits = {},
): Promise<QueryResult> {
  const { timeoutMs = 60_000, maxRows = 10_000, root, stop } = limits;
  const time = stop === undefined ? { timeoutMs } : { timeoutMs, stop };
  const ask = (connection: DuckDBConnection) =>
    withinTime(connection, time, queryFault, (guard) =>
      guard(async () => {
        const text = withoutBackticks(sql);
        await checkStatement(connection, text);
        return select(connection, text, maxRows).catch(async (error: unknown) => {
          throw await columnsFault(connection, text, error);
        });
      }),
    );
  return withWarehouse(warehousePath, ask, root);
}

/** Runs one SELECT, up to `maxRows` rows; errors are DuckDB's own. */
export async function select(
  connection: DuckDBConnection,
  sql: string,
  maxRows: number,
): Promise<QueryResult> {
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1)
    throw refusedStatement('PIVOT must name its values: PIVOT ... ON column IN (...).');
  const prepared = await statements.prepare(0);
  const result = await prepared.stream();
  const names = result.deduplicatedColumnNames();
  const types = result.columnTypes();
  const rows: QueryRow[] = [];
  let truncated = false;
  while (!truncated) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const room = maxRows - rows.length;
    truncated = chunk.rowCount > room;
    rows.push(...rowsOf(chunk, names).slice(0, room));
  }
  prepared.destroySync();
  return {
    columns: names.map((name, i) => ({ name, type: String(types[i]) })),
    rows,
    truncated,
  };
}

/** All rows of a SELECT of windrow itself, which names its columns as the members of a `Row`. */
export async function rowsAs<Row>(connection: DuckDBConnection, sql: string): Promise<Row[]> {
  const { rows } = await select(connection, sql, Number.POSITIVE_INFINITY).catch((error) => {
    throw queryFault(error);
  });
  return rows as Row[];
}

/** The rows of a chunk by the names of its columns. */
export function rowsOf(chunk: DuckDBDataChunk, names: readonly string[]): QueryRow[] {
  return chunk
    .getRows()
    .map((values) =>
      Object.fromEntries(names.map((name, i) => [name, jsonValue(values[i] ?? null)])),
    );
}

/** The fault of an error of DuckDB. */
function queryFault(error: unknown): Fault {
  const message = messageOf(error);
  return new Fault('query', message, { advice: adviceOn(message), cause: error });
}

const ABSENT_COLUMN =
  /^Binder Error: (Referenced column|Column ".*" does not|.* does not have a col)/;

/** The fault of an error of DuckDB; for an absent column, with those of the statement's views. */
async function columnsFault(connection: DuckDBConnection, sql: string, error: unknown) {
  const fault = queryFault(error);
  if (!ABSENT_COLUMN.test(fault.message)) return fault;
  const views = await connection.runAndReadAll(
    `SELECT name || ' has ' || string_agg(column_name, ', ' ORDER BY column_index) FROM (
       SELECT *, if(schema_name = 'main', '', schema_name || '.') || table_name AS name
       FROM duckdb_columns() WHERE NOT internal
     ) WHERE regexp_matches($sql, '(^|[^.\\w])' || name || '\\b') GROUP BY name ORDER BY name`,
    { sql },
  );
  const advice = [...views.getRows().flat().map(String), String(fault.advice)].join('. ');
  return new Fault('query', fault.message, { advice, cause: error });
}
