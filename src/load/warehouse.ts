import { randomUUID } from 'node:crypto';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { curate } from '../curate/curate.ts';
import { fillLakeTable } from '../curate/rule/lake-tables.ts';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import type { Lake } from '../land/lake.ts';
import { openConnection, openDatabase } from '../land/storage/connection.ts';
import type { Disk } from '../land/storage/disk.ts';
import { scanSql } from '../land/storage/scan.ts';
import { identifier, literal } from '../land/storage/sql-text.ts';
import { emptyWarehouse } from './empty-warehouse.ts';
import { publicationOf, publicationSql } from './publication.ts';
import { messageOf } from './query/open-warehouse.ts';
import { KNOWN_TABLES } from './tables/known-tables.ts';
import { type WarehouseContent, warehouseContent } from './warehouse-content.ts';

export interface Published {
  readonly path: string;
  /** Views of the warehouse: `lake.transactions`, `transactions` ... */
  readonly views: readonly string[];
}

/**
 * Brings the curated tables up to date, builds the warehouse from the newest version of all tables
 * and publishes it by rename: readers of the old file keep it, later readers get the new one. All
 * of its content comes from the lake, so it can be rebuilt at any time. Throws Fault('lake') if a
 * data file cannot be read.
 */
export async function publishWarehouse(options: {
  readonly lake: Lake;
  readonly effects: Effects;
  readonly disk: Disk;
  /** Computes the curated tables again for all heights. */
  readonly isFull?: boolean;
  /** Keeps the present warehouse if it shows the newest versions. */
  readonly ifMoved?: boolean;
}): Promise<Published> {
  const { lake, effects, disk, isFull = false, ifMoved = false } = options;
  const { warehouse, root } = lake.layout;
  const staging = lake.layout.stagingOf(lake.run);
  await disk.makeFolder(staging);
  await curate({ lake, effects, disk, isFull });
  const { bytes, views, name } = await emptyWarehouse();
  const content = await warehouseContent(lake, disk, name);
  const shown = ifMoved ? await publicationOf(warehouse) : undefined;
  const isCurrent = shown?.lakeDigest === content.lakeDigest;
  if (isCurrent && shown?.runsDigest === content.runsDigest) return { path: warehouse, views };
  const staged = join(staging, `warehouse-${randomUUID()}.duckdb`);
  try {
    if (isCurrent) await copyFile(warehouse, staged);
    else await writeFile(staged, bytes, { flag: 'wx' });
    await fill(staged, content, isCurrent);
    effects.reached('warehouse built');
    await disk.sync(staged);
    effects.reached('warehouse synced');
    // A write-ahead log of the old file must not be replayed into the new one.
    await disk.remove(`${warehouse}.wal`);
    await disk.rename(staged, warehouse);
    effects.reached('warehouse renamed');
    await disk.syncFolder(root);
    return { path: warehouse, views };
  } catch (error) {
    await disk.remove(staged);
    await disk.remove(`${staged}.wal`);
    throw error;
  }
}

/** Fills the empty warehouse at `path`; with `isCurrent`, it shows the lake and lacks only runs. */
export async function fill(
  path: string,
  content: WarehouseContent,
  isCurrent: boolean,
): Promise<void> {
  const instance = await openDatabase(path);
  const connection = await openConnection(instance);
  try {
    await connection.run('BEGIN');
    if (!isCurrent) await showLake(connection, content);
    await connection.run('DELETE FROM lake.runs');
    await fillLakeTable(connection, content.runs);
    await connection.run(publicationSql(content));
    await connection.run('COMMIT; CHECKPOINT');
  } catch (error) {
    throw new Fault('lake', `The warehouse could not be built: ${messageOf(error)}`, {
      advice:
        'If a data file is missing or broken, restore it, or move its table folder away and run ' +
        'the pipeline again to fetch the table. The old warehouse is unchanged.',
      cause: error,
    });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function showLake(connection: DuckDBConnection, content: WarehouseContent): Promise<void> {
  for (const { name, paths, columns } of content.files) {
    const scan = await scanSql(connection, paths, columns);
    const view = `files.${identifier(name)}`;
    await connection.run(`CREATE OR REPLACE VIEW ${view} AS ${scan}`);
    await connection.run(`COMMENT ON VIEW ${view} IS ${literal(`Data files of lake.${name}`)}`);
  }
  for (const [name, paths] of content.curated) {
    // A view without files stays as it is: empty, with the columns of its table.
    if (paths.length === 0) continue;
    const source = `read_parquet([${paths.map(literal).join(', ')}])`;
    const view = `curated_files.${identifier(name)}`;
    await connection.run(`CREATE OR REPLACE VIEW ${view} AS SELECT * FROM ${source}`);
    await connection.run(`COMMENT ON VIEW ${view} IS ${literal(`Data files of curated.${name}`)}`);
  }
  for (const table of content.tables()) await fillLakeTable(connection, table);
  for (const { name, rowsSql } of KNOWN_TABLES) {
    await connection.run(`INSERT INTO known.${name} BY NAME ${rowsSql}`);
  }
}
