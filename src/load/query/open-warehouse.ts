import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type Advice, Fault, wordsOf } from '../../fault.ts';
import { hasMounts } from '../../land/places/mounts.ts';
import { openConnection, openDatabase } from '../../land/storage/connection.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { literal } from '../../land/storage/sql-text.ts';

/**
 * Opens the warehouse for one use and closes it again. It is read-only and locked down: SQL reaches
 * no file outside `root`, by default the folder of the warehouse, but `files`, and no network, and
 * cannot undo this. Each use opens a new instance, so it sees the newest published file. Throws
 * Fault('query') if there is no warehouse, or if it cannot be read.
 */
export async function withWarehouse<T>(
  path: string,
  use: (connection: DuckDBConnection) => Promise<T>,
  root = dirname(resolve(path)),
  files: readonly string[] = [],
  memoryBytes?: number,
): Promise<T> {
  const instance = await opened(path, memoryBytes);
  try {
    const connection = await openConnection(instance);
    try {
      if (hasMounts()) await localDisk.fetch(await dataFilesOf(connection));
      await lockDown(connection, resolve(root), files);
      return await use(connection);
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}

/** A data file, as a view names it. */
const DATA_FILE = /'([^']+\.parquet)'/g;

/** Paths of the data files that the views of an open warehouse name. */
export async function dataFilesOf(connection: DuckDBConnection): Promise<string[]> {
  const views = await connection.runAndReadAll('SELECT sql FROM duckdb_views() WHERE NOT internal');
  return views
    .getRows()
    .flatMap(([sql]) => [...String(sql).matchAll(DATA_FILE)].map(([, file]) => file ?? ''));
}
export type WarehouseConnection = DuckDBConnection;

export const NO_WAREHOUSE = 'There is no warehouse here yet.';

async function opened(path: string, memoryBytes?: number): Promise<DuckDBInstance> {
  try {
    if ((await localDisk.stat(path)) === undefined) {
      throw new Fault('query', NO_WAREHOUSE, {
        where: path,
        advice:
          'Run a pipeline first, or name the data root with --data DIR (the demo: data/demo).',
      });
    }
    const options = { access_mode: 'READ_ONLY', ...(memoryBytes && { threads: '1' }) };
    if (await localDisk.canWrite(dirname(path))) {
      return await openDatabase(path, options, memoryBytes);
    }
    const spilledTo = join(tmpdir(), 'windrow-spilled');
    const spilling = { ...options, temp_directory: spilledTo };
    return await openDatabase(path, spilling, memoryBytes);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('query', `The warehouse cannot be opened: ${messageOf(error)}`, {
      where: path,
      advice: { text: 'It can be rebuilt from the lake at any time.', command: 'windrow load' },
      cause: error,
    });
  }
}

/**
 * SQL of this connection reads no file outside `root`, and cannot undo this. It may write `files`,
 * which may be folders.
 */
export async function lockDown(
  connection: DuckDBConnection,
  root: string,
  files: readonly string[] = [],
): Promise<void> {
  const allowed = [root, ...files].map(literal).join(', ');
  await connection.run(`SET allowed_directories = [${allowed}]`);
  await connection.run(`SET allowed_paths = [${files.map(literal).join(', ')}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
}

/** The message of an error; views of older versions raise their own (`as-of.ts`). */
export function messageOf(error: unknown): string {
  const message = wordsOf(error);
  const isOwn = message.includes(GONE) || message.includes(NOT_MADE);
  return isOwn ? message.replace('Invalid Input Error: ', '') : message;
}

/** What an error says of files that a view of an earlier time needs. */
export const GONE = 'were deleted after their retention';

/** What an error says of a curated table that has no version of an earlier time. */
export const NOT_MADE = 'has no version';

/** A file beside those of a lake: views name theirs by absolute paths, so these mean a move. */
const ELSEWHERE = /Cannot access file "(?!.*\/(lake|curated)\/[^"]*\.parquet")/;

/** Sums of DECIMAL(38,18) past 1e20, and texts that no DECIMAL holds. */
const TOO_LARGE =
  /Overflow in (HUGEINT|.*DECIMAL\(38\))|Could not convert string ".*" to DECIMAL\(38/;

/** Columns of other sites that no record has. */
const ABSENT =
  'evt_index|log_?index|trace_(?:address|id)|(?:transaction_?|tx_)index|input|data|output';
const ABSENT_COLUMN = new RegExp(`(?:Referenced column|a column named) "(${ABSENT})"`, 'i');

/** Advice on an error of DuckDB: on files, values, words of other systems, or names. */
export function adviceOn(message: string): Advice {
  if (ELSEWHERE.test(message)) {
    return {
      text:
        'SQL here reads only the lake and files below its data root: copy the file to a folder ' +
        'there, or open the warehouse with DuckDB itself, which reads any file.',
      command: 'windrow connect',
    };
  }
  if (TOO_LARGE.test(message)) {
    return (
      'Amounts past 1e20 do not fit a DECIMAL(38,18): use exact_sum(amount_text) for the exact ' +
      'sum, or sum(amount_double) for a rounded one; address_activity has signed_text and ' +
      'signed_double, too.'
    );
  }
  const [, absent] = ABSENT_COLUMN.exec(message) ?? [];
  if (absent !== undefined) {
    return (
      `Explorers list records, not logs and inputs, so there is no ${absent}: ` +
      'docs/familiar-names.md says what to use instead.'
    );
  }
  if (/^(IO|Permission) Error/.test(message)) {
    return {
      text:
        'If files are missing because the data root was moved, because curated tables were ' +
        'deleted or because another program rewrote tables and deleted their older files, ' +
        'rebuild the warehouse.',
      command: 'windrow load',
    };
  }
  if (message.includes(GONE)) {
    return (
      'Give this or a later time as --as-of: maintenance deletes files that were replaced ' +
      'longer ago than its --retain, by default 7 days.'
    );
  }
  if (message.includes(NOT_MADE)) {
    return (
      'Give a later --as-of, or query lake.<dataset>, which has the rows of that time: a curated ' +
      'table has no versions from before it was first computed, or computed again after its ' +
      'folder was deleted or damaged.'
    );
  }
  if (message.startsWith('Conversion Error')) {
    return 'TRY_CAST gives NULL for a value that cannot be converted.';
  }
  if (/^Catalog Error: (Scalar |Aggregate |Table )?(Function|Type)/.test(message)) {
    return 'docs/familiar-names.md lists functions and types that differ from other systems.';
  }
  return (
    'windrow describe lists all views, and windrow describe VIEW its columns. ' +
    'docs/familiar-names.md lists views with the columns of Dune, BigQuery and Etherscan.'
  );
}
