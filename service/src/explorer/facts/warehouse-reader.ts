import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { Fault } from '../../../../src/fault.ts';
import { openConnection, openDatabase } from '../../../../src/land/storage/connection.ts';
import { isCode } from '../../../../src/land/storage/disk.ts';
import { jsonValue } from '../../../../src/load/query/json-values.ts';
import { lockDown, messageOf, NO_WAREHOUSE } from '../../../../src/load/query/open-warehouse.ts';
import type { QueryRow } from '../../../../src/load/query/query.ts';
import { withinTime } from '../../../../src/load/query/time-limit.ts';
import { computedOnce, Recent } from '../../memory/recent.ts';

/** Asks one version of the warehouse. Values are bound to the parameters `$1`, `$2` ... */
export type AskWarehouse = (
  sql: string,
  ...values: readonly DuckDBValue[]
) => Promise<readonly QueryRow[]>;

/** One version of the warehouse. */
export interface WarehouseSession {
  readonly ask: AskWarehouse;
  /** Computes a value once per version of the warehouse, and keeps the newest ones. */
  kept<T>(key: string, compute: () => Promise<T>): Promise<T>;
}

export interface ReaderOptions {
  /** Path of the warehouse. */
  readonly path: string;
  /** The data root, whose files its views name. */
  readonly root: string;
  /** Memory of its database, in bytes. */
  readonly memoryBytes: number;
  /** Time of all queries of one session, in milliseconds. */
  readonly timeoutMs: number;
}

/** Thrown when too many sessions are open: the caller may try again. */
export class TooManySessions extends Error {}

/** Sessions that ask at the same time; a query uses all cores by itself. */
const CONNECTIONS = 2;
/** Sessions that wait for them; further ones are refused. */
const MOST_WAITING = 16;
const MOST_KEPT = 256;

interface OpenWarehouse {
  /** Identifies the file: a new warehouse replaces it. */
  readonly stamp: string;
  readonly instance: DuckDBInstance;
  readonly idle: DuckDBConnection[];
  readonly kept: Recent<Promise<unknown>>;
  sessions: number;
}

/**
 * Reads a warehouse that other processes may replace at any time. It is opened once per published
 * file, read-only and locked down to its data root.
 */
export class WarehouseReader {
  readonly #options: ReaderOptions;
  readonly #waiting: (() => void)[] = [];
  #active = 0;
  #open: OpenWarehouse | undefined;
  /** Warehouses are opened one after the other. */
  #opening: Promise<unknown> = Promise.resolve();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /**
   * Uses the newest published warehouse. Throws TooManySessions, or Fault('query') without a
   * warehouse, for a query that fails, and after the time limit.
   */
  async session<T>(use: (session: WarehouseSession) => Promise<T>): Promise<T> {
    await this.#turn();
    try {
      const open = await this.#entered();
      try {
        return await this.#within(open, use);
      } finally {
        open.sessions -= 1;
        if (this.#open !== open) closeIfUnused(open);
      }
    } finally {
      this.#active -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Closes the warehouse when its last session has ended. */
  async close(): Promise<void> {
    await this.#opening;
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) closeIfUnused(open);
  }

  async #within<T>(
    open: OpenWarehouse,
    use: (session: WarehouseSession) => Promise<T>,
  ): Promise<T> {
    const connection = open.idle.pop();
    if (connection === undefined) throw new TooManySessions();
    try {
      return await withinTime(connection, this.#options, failed, (guard) =>
        use({
          ask: (sql, ...values) => guard(() => rowsOf(connection, sql, values)),
          kept: <V>(key: string, compute: () => Promise<V>) =>
            computedOnce(open.kept as Recent<Promise<V>>, key, compute),
        }),
      );
    } finally {
      open.idle.push(connection);
    }
  }

  async #turn(): Promise<void> {
    if (this.#active >= CONNECTIONS) {
      if (this.#waiting.length >= MOST_WAITING) throw new TooManySessions();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#active += 1;
  }

  /** The newest warehouse, with one more session. */
  #entered(): Promise<OpenWarehouse> {
    const turn = this.#opening.then(async () => {
      const newest = await this.#newest();
      newest.sessions += 1;
      return newest;
    });
    this.#opening = turn.catch(() => undefined);
    return turn;
  }

  async #newest(): Promise<OpenWarehouse> {
    const stamp = await stampOf(this.#options.path);
    if (this.#open?.stamp === stamp) return this.#open;
    const opened = await openWarehouse(this.#options, stamp);
    const before = this.#open;
    this.#open = opened;
    if (before !== undefined) closeIfUnused(before);
    return opened;
  }
}

async function stampOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    throw new Fault('query', NO_WAREHOUSE, {
      where: path,
      advice: { text: 'Build it from the lake.', command: 'windrow load' },
    });
  }
}

async function openWarehouse(
  { path, root, memoryBytes }: ReaderOptions,
  stamp: string,
): Promise<OpenWarehouse> {
  const instance = await openDatabase(path, { access_mode: 'READ_ONLY' }, memoryBytes);
  try {
    const first = await openConnection(instance);
    const idle = [first];
    // A locked configuration lets no connection set its time zone.
    while (idle.length < CONNECTIONS) idle.push(await openConnection(instance));
    // Data files never change: their footers are read once.
    await first.run('SET GLOBAL parquet_metadata_cache = true');
    await lockDown(first, resolve(root));
    return { stamp, instance, idle, kept: new Recent(MOST_KEPT), sessions: 0 };
  } catch (error) {
    instance.closeSync();
    throw failed(error);
  }
}

function closeIfUnused({ sessions, idle, instance }: OpenWarehouse): void {
  if (sessions > 0) return;
  for (const connection of idle.splice(0)) connection.closeSync();
  instance.closeSync();
}

async function rowsOf(
  connection: DuckDBConnection,
  sql: string,
  values: readonly DuckDBValue[],
): Promise<QueryRow[]> {
  const result = await connection.runAndReadAll(sql, [...values]);
  const names = result.deduplicatedColumnNames();
  return result
    .getRows()
    .map((row) => Object.fromEntries(names.map((name, i) => [name, jsonValue(row[i] ?? null)])));
}

function failed(error: unknown): Fault {
  return new Fault('query', messageOf(error), {
    advice: { text: 'If files are missing, rebuild the warehouse.', command: 'windrow load' },
    cause: error,
  });
}
