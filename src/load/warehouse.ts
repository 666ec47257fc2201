import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Column } from '../catalogue/entry.ts';
import { datasets } from '../catalogue/index.ts';
import { curate, curatedFiles } from '../curate/curate.ts';
import { coverageTables } from '../curate/rule/coverage-tables.ts';
import {
  fillLakeTable,
  type LakeTable,
  type TableVersion,
  tablesTable,
} from '../curate/rule/lake-tables.ts';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import { readLabels } from '../land/labels.ts';
import type { Lake } from '../land/lake.ts';
import { QUARANTINE } from '../land/quarantine/quarantine.ts';
import { QUARANTINE_COLUMNS } from '../land/quarantine/quarantine-record.ts';
import { tableColumns } from '../land/rows/columns.ts';
import { pendingColumns, pendingName } from '../land/rows/pending-rows.ts';
import { openConnection, openDatabase } from '../land/storage/connection.ts';
import type { Disk } from '../land/storage/disk.ts';
import { scanSql } from '../land/storage/scan.ts';
import { identifier, literal } from '../land/storage/sql-text.ts';
import { emptyWarehouse } from './empty-warehouse.ts';
import { messageOf } from './query/open-warehouse.ts';
import { KNOWN_TABLES } from './tables/known-tables.ts';
import { labelsTable } from './tables/labels-table.ts';
import { runsTable } from './tables/runs-table.ts';
import { waitingTable } from './tables/waiting-table.ts';

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
}): Promise<Published> {
  const { lake, effects, disk, isFull = false } = options;
  const { warehouse, root } = lake.layout;
  const staging = lake.layout.stagingOf(lake.run);
  await disk.makeFolder(staging);
  await curate({ lake, effects, disk, isFull });
  const versions = await versionsOf(lake);
  const curated = await curatedFiles(lake);
  const staged = join(staging, `warehouse-${randomUUID()}.duckdb`);
  try {
    const tables = [
      ...coverageTables(versions),
      tablesTable(versions),
      await waitingTable(lake),
      await runsTable(lake.layout),
      labelsTable(await readLabels(lake.layout, disk)),
    ];
    const files = [
      ...versions.map(({ dataset: name, paths }) => ({ name, paths, columns: tableColumns(name) })),
      await quarantined(lake),
      ...(await pendingTables(lake)),
    ];
    const { bytes, views } = await emptyWarehouse();
    await writeFile(staged, bytes, { flag: 'wx' });
    await fill(staged, files, curated, tables);
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

/**
 * The tables of all datasets, including those without a commit. Files and coverage are copied from
 * one snapshot, because they must be of the same version.
 */
async function versionsOf(lake: Lake): Promise<TableVersion[]> {
  const versions: TableVersion[] = [];
  for (const { name } of datasets) {
    const table = lake.table(name);
    const snapshot = await table.snapshot();
    const files = [...snapshot.files.values()];
    versions.push({
      chain: lake.chainOf(name),
      dataset: name,
      version: snapshot.version,
      paths: table.paths(snapshot).map((path) => resolve(path)),
      rows: files.some((file) => file.rows === undefined)
        ? undefined
        : files.reduce((sum, file) => sum + (file.rows ?? 0), 0),
      bytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
      coverage: snapshot.coverage.entries(),
    });
  }
  return versions;
}

/** The files of the newest version of a table, for its view in schema `files`. */
interface DataFiles {
  readonly name: string;
  /** Absolute, so that the view finds the files from any working directory. */
  readonly paths: readonly string[];
  readonly columns: readonly Column[];
}

/** The quarantines of both chains as one. */
async function quarantined(lake: Lake): Promise<DataFiles> {
  const paths: string[] = [];
  for (const quarantine of lake.quarantines()) {
    paths.push(...quarantine.paths(await quarantine.snapshot()).map((path) => resolve(path)));
  }
  return { name: QUARANTINE, columns: QUARANTINE_COLUMNS, paths };
}

async function pendingTables(lake: Lake): Promise<DataFiles[]> {
  const tables: DataFiles[] = [];
  for (const [dataset, table] of lake.pending) {
    tables.push({
      name: pendingName(dataset),
      columns: pendingColumns(dataset),
      paths: table.paths(await table.snapshot()).map((path) => resolve(path)),
    });
  }
  return tables;
}

/** Fills the empty warehouse at `path`. */
async function fill(
  path: string,
  files: readonly DataFiles[],
  curated: ReadonlyMap<string, readonly string[]>,
  tables: readonly LakeTable[],
): Promise<void> {
  const instance = await openDatabase(path);
  const connection = await openConnection(instance);
  try {
    await connection.run('BEGIN');
    for (const { name, paths, columns } of files) {
      const scan = await scanSql(connection, paths, columns);
      const view = `files.${identifier(name)}`;
      await connection.run(`CREATE OR REPLACE VIEW ${view} AS ${scan}`);
      await connection.run(`COMMENT ON VIEW ${view} IS ${literal(`Data files of lake.${name}`)}`);
    }
    for (const [name, paths] of curated) {
      // A view without files stays as it is: empty, with the columns of its table.
      if (paths.length === 0) continue;
      const source = `read_parquet([${paths.map(literal).join(', ')}])`;
      const view = `curated_files.${identifier(name)}`;
      await connection.run(`CREATE OR REPLACE VIEW ${view} AS SELECT * FROM ${source}`);
      await connection.run(
        `COMMENT ON VIEW ${view} IS ${literal(`Data files of curated.${name}`)}`,
      );
    }
    for (const table of tables) await fillLakeTable(connection, table);
    for (const { name, rowsSql } of KNOWN_TABLES) {
      await connection.run(`INSERT INTO known.${name} BY NAME ${rowsSql}`);
    }
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
