import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type Curated, type CurateOptions, curate } from '../curate/curate.ts';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import type { Lake } from '../land/lake.ts';
import { shortenedText } from '../land/shortened-log.ts';
import { append } from '../land/storage/appending.ts';
import { withDatabase } from '../land/storage/connection.ts';
import { type Disk, localDisk } from '../land/storage/disk.ts';
import { diskFault } from '../land/storage/disk-fault.ts';
import { scanSql } from '../land/storage/scan.ts';
import { identifier, literal } from '../land/storage/sql-text.ts';
import { emptyWarehouse } from './empty-warehouse.ts';
import { messageOf } from './query/open-warehouse.ts';
import {
  keepViewsDigest,
  publicationOf,
  publicationSql,
  runsDigestSql,
} from './query/publication.ts';
import { hasNamesSql, KNOWN_TABLES } from './tables/known-tables.ts';
import {
  newestPublication,
  type WarehouseContent,
  type WarehouseUpdate,
  warehouseContent,
} from './warehouse-content.ts';

export interface Published extends Pick<Curated, 'contradicted'> {
  readonly path: string;
  /** Views of the warehouse: `lake.transactions`, `transactions` ... */
  readonly views: readonly string[];
}

/**
 * Adds new columns of the catalogue to the tables, brings the coverage tables and the curated
 * tables up to date, builds the warehouse from the newest version of all tables and publishes it by
 * rename: readers of the old file keep it, later readers get the new one. All of its content comes
 * from the lake, so it can be rebuilt at any time. Throws Fault('lake') if a data file cannot be
 * read.
 */
export async function publishWarehouse(options: {
  readonly lake: Lake;
  readonly effects: Effects;
  readonly disk: Disk;
  /** Computes the curated tables again for all heights, and the coverage tables. */
  readonly isFull?: boolean;
  /** Keeps the present warehouse if it shows the newest versions. */
  readonly ifMoved?: boolean;
  readonly engine?: CurateOptions['engine'];
  /** Checks run next and are kept: they also keep the digest of the views. */
  readonly areChecksNext?: boolean;
}): Promise<Published> {
  const { lake, effects, disk, isFull = false, ifMoved = false, engine } = options;
  const { warehouse } = lake.layout;
  for (const log of await lake.shortenedLogs()) {
    effects.log('warn', `${log.folder}: ${shortenedText(log)} Only what is left of it is shown.`);
  }
  for (const table of await lake.storedTables()) await table.addColumns();
  const { contradicted } = await curate({ lake, effects, disk, isFull, engine });
  if (isFull) await lake.indexCoverage(isFull);
  const empty = await emptyWarehouse();
  const update = ifMoved ? await newestPublication(lake, empty.name) : undefined;
  const shown = update && (await publicationOf(warehouse));
  const published = { path: warehouse, views: empty.views, contradicted };
  if (update !== undefined && shown?.lakeDigest === update.lakeDigest) {
    if (shown.runsDigest === update.runsDigest) return published;
    await publish(options, async (staged) => {
      await disk.copy(warehouse, staged);
      await fill(staged, update);
    });
    return published;
  }
  const content = await warehouseContent(lake, empty.name);
  await publish(options, async (staged) => {
    await disk.write(staged, await empty.bytes());
    await fillEmpty(staged, content);
    if (options.areChecksNext !== true) await keepViewsDigest(staged);
  });
  return published;
}

type Publishing = Pick<CurateOptions, 'lake' | 'effects' | 'disk'>;

/** Publishes a copy of the warehouse that this SQL has changed. */
export async function replaceWarehouse(options: Publishing, sql: string): Promise<void> {
  await publish(options, async (staged) => {
    await options.disk.copy(options.lake.layout.warehouse, staged);
    await change(staged, (connection) => connection.run(sql));
  });
}

/** Publishes the warehouse that `write` makes at a path, by rename. */
async function publish(
  { lake, effects, disk }: Publishing,
  write: (staged: string) => Promise<void>,
): Promise<void> {
  const { warehouse } = lake.layout;
  const staging = lake.layout.stagingOf(lake.run);
  await disk.makeFolder(staging);
  const staged = join(staging, `warehouse-${randomUUID()}.duckdb`);
  try {
    await write(staged);
    effects.reached('warehouse built');
    // A write-ahead log of the old file must not be replayed into the new one.
    await disk.remove(`${warehouse}.wal`);
    await disk.publish([staged, warehouse]);
    effects.reached('warehouse renamed');
  } catch (error) {
    await disk.remove(staged);
    await disk.remove(`${staged}.wal`);
    throw diskFault(error, warehouse);
  }
}

/** Fills the empty warehouse at `path`. `more` adds to it. Throws Fault('lake') for bad files. */
export async function fillEmpty(
  path: string,
  content: WarehouseContent,
  more?: (connection: DuckDBConnection) => Promise<void>,
): Promise<void> {
  await fill(path, content, async (connection) => {
    await more?.(connection);
    await showLake(connection, content);
  });
}

/** Replaces the runs in the warehouse at `path`, after all that `show` adds to it. */
async function fill(
  path: string,
  update: WarehouseUpdate,
  show?: (connection: DuckDBConnection) => Promise<void>,
): Promise<void> {
  await change(path, async (connection) => {
    await show?.(connection);
    await connection.run('DELETE FROM lake.runs');
    await append(connection, 'runs', update.runs.columns, update.runs.rows, 'lake');
    await connection.run(show === undefined ? runsDigestSql(update) : publicationSql(update));
  });
}

/** Changes the warehouse at `path` in one transaction. */
async function change(
  path: string,
  work: (connection: DuckDBConnection) => Promise<unknown>,
): Promise<void> {
  try {
    const inTransaction = async (connection: DuckDBConnection): Promise<void> => {
      await connection.run('BEGIN');
      await work(connection);
      await connection.run('COMMIT; CHECKPOINT');
    };
    // Threads that wait for work cost a follower memory and CPU time with each of its runs.
    await withDatabase(path, inTransaction, { threads: '1' });
  } catch (error) {
    const fault = diskFault(error, path);
    if (fault instanceof Fault) throw fault;
    throw new Fault('lake', `The warehouse could not be built: ${messageOf(error)}`, {
      advice:
        'If a data file is missing or broken, restore it, or move its table folder away and run ' +
        'the pipeline again to fetch the table. The old warehouse is unchanged.',
      cause: error,
    });
  }
}

async function showLake(connection: DuckDBConnection, content: WarehouseContent): Promise<void> {
  for (const { name, paths, columns } of content.files) {
    const view = `files.${identifier(name)}`;
    // A view without files stays as it is: empty, with the columns of its table.
    if (paths.length > 0) {
      const scan = await scanSql(connection, paths, columns);
      await connection.run(`CREATE OR REPLACE VIEW ${view} AS ${scan}`);
    }
    await connection.run(`COMMENT ON VIEW ${view} IS ${literal(`Data files of lake.${name}`)}`);
  }
  for (const [name, paths] of content.curated) {
    if (paths.length === 0) continue;
    const view = `curated_files.${identifier(name)}`;
    const rows = await curatedRowsSql(connection, view, paths);
    await connection.run(`CREATE OR REPLACE VIEW ${view} AS ${rows}`);
    await connection.run(`COMMENT ON VIEW ${view} IS ${literal(`Data files of curated.${name}`)}`);
  }
  for (const { name, columns, rows } of content.tables()) {
    await append(connection, name, columns, rows, 'lake');
  }
  for (const sql of hasNamesSql(content.hasNames)) await connection.run(sql);
  for (const { name, rowsSql } of KNOWN_TABLES) {
    await connection.run(`INSERT INTO known.${name} BY NAME ${rowsSql}`);
  }
}

/** SQL for the rows of files, with the columns of the view. Files of old versions may lack some. */
async function curatedRowsSql(
  connection: DuckDBConnection,
  view: string,
  paths: readonly string[],
): Promise<string> {
  await localDisk.fetch(paths);
  const source = `read_parquet([${paths.map(literal).join(', ')}])`;
  const present = new Set((await describe(connection, source)).map(([name]) => name));
  const columns = await describe(connection, view);
  if (columns.every(([name]) => present.has(name))) return `SELECT * FROM ${source}`;
  const values = columns.map(([name, type]) => {
    return present.has(name) ? identifier(name) : `CAST(NULL AS ${type}) AS ${identifier(name)}`;
  });
  return `SELECT ${values.join(', ')} FROM ${source}`;
}

async function describe(connection: DuckDBConnection, from: string): Promise<[string, string][]> {
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${from}`);
  return described.getRows().map(([name, type]) => [String(name), String(type)]);
}
