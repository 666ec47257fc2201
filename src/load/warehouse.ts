import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Column } from '../catalogue/entry.ts';
import { datasetNamed, datasets } from '../catalogue/index.ts';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import { readLabels } from '../land/labels.ts';
import type { Lake } from '../land/lake.ts';
import { QUARANTINE, QUARANTINE_SUMMARY } from '../land/quarantine/quarantine.ts';
import { QUARANTINE_COLUMNS } from '../land/quarantine/quarantine-record.ts';
import { tableColumns } from '../land/rows/columns.ts';
import { pendingColumns, pendingName, pendingSummary } from '../land/rows/pending-rows.ts';
import { openConnection } from '../land/storage/connection.ts';
import type { Disk } from '../land/storage/disk.ts';
import { scanSql } from '../land/storage/scan.ts';
import { identifier, literal } from '../land/storage/sql-text.ts';
import { messageOf } from './query/open-warehouse.ts';
import { inOrderOfUse, type SqlFile, sqlFiles } from './sql-files.ts';
import { coverageTables } from './tables/coverage-tables.ts';
import {
  knownColumns,
  knownRowsSql,
  PART_COLUMNS,
  PART_MACRO,
  PART_TABLES,
} from './tables/known-rows.ts';
import { labelsTable } from './tables/labels-table.ts';
import {
  createLakeTable,
  type LakeTable,
  type TableVersion,
  tablesTable,
} from './tables/lake-tables.ts';
import { runsTable } from './tables/runs-table.ts';
import { waitingTable } from './tables/waiting-table.ts';

export interface Published {
  readonly path: string;
  /** Views of the warehouse: `lake.transactions`, `transactions` ... */
  readonly views: readonly string[];
}

/**
 * Builds the warehouse from the newest versions of the lake's tables and publishes it by rename:
 * readers of the old file keep it, later readers get the new one. All of its content comes from the
 * lake, so it can be rebuilt at any time. Throws Fault('lake') if a data file cannot be read.
 */
export async function publishWarehouse(options: {
  readonly lake: Lake;
  readonly effects: Effects;
  readonly disk: Disk;
}): Promise<Published> {
  const { lake, effects, disk } = options;
  const { warehouse, root } = lake.layout;
  const staging = lake.layout.stagingOf(lake.run);
  await disk.makeFolder(staging);
  const versions = await versionsOf(lake);
  const staged = join(staging, `warehouse-${randomUUID()}.duckdb`);
  try {
    const tables = [
      ...coverageTables(versions),
      tablesTable(versions),
      await waitingTable(lake),
      await runsTable(lake.layout),
      labelsTable(await readLabels(lake.layout, disk)),
    ];
    const beside = [await quarantined(lake), ...(await pendingTables(lake))];
    const views = await build(staged, versions, beside, tables);
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
      // Absolute, so that the views find the files from any working directory.
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

/** The newest version of a table that belongs to no dataset. */
interface TableBeside {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly Column[];
  /** Absolute paths of the data files. */
  readonly paths: readonly string[];
}

/** The quarantines of both chains as one. */
async function quarantined(lake: Lake): Promise<TableBeside> {
  const paths: string[] = [];
  for (const quarantine of lake.quarantines()) {
    paths.push(...quarantine.paths(await quarantine.snapshot()).map((path) => resolve(path)));
  }
  return { name: QUARANTINE, comment: QUARANTINE_SUMMARY, columns: QUARANTINE_COLUMNS, paths };
}

async function pendingTables(lake: Lake): Promise<TableBeside[]> {
  const tables: TableBeside[] = [];
  for (const [dataset, table] of lake.pending) {
    tables.push({
      name: pendingName(dataset),
      comment: pendingSummary(dataset),
      columns: pendingColumns(dataset),
      paths: table.paths(await table.snapshot()).map((path) => resolve(path)),
    });
  }
  return tables;
}

async function build(
  path: string,
  versions: readonly TableVersion[],
  beside: readonly TableBeside[],
  tables: readonly LakeTable[],
): Promise<string[]> {
  const instance = await DuckDBInstance.create(path);
  const connection = await openConnection(instance);
  try {
    await connection.run('BEGIN; CREATE SCHEMA lake; CREATE SCHEMA known');
    for (const table of tables) {
      await createLakeTable(connection, table);
      await comment(connection, 'TABLE', `lake.${table.name}`, table);
    }
    const views: string[] = [];
    for (const { dataset, paths } of versions) {
      const of = { comment: datasetNamed(dataset).summary, columns: tableColumns(dataset) };
      views.push(await createLakeView(connection, dataset, paths, of));
    }
    for (const { name, paths, ...of } of beside) {
      views.push(await createLakeView(connection, name, paths, of));
    }
    await createKnown(connection);
    const files = [...(await sqlFiles('macros')), ...(await sqlFiles('views'))];
    for (const file of inOrderOfUse(files))
      if (await createOne(connection, file)) views.push(file.name);
    await connection.run('COMMIT; CHECKPOINT');
    return views;
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

/** `lake.<name>`: lists the files of one version by name, without a glob. */
async function createLakeView(
  connection: DuckDBConnection,
  name: string,
  paths: readonly string[],
  of: { readonly comment: string; readonly columns: readonly Column[] },
): Promise<string> {
  const view = `lake.${identifier(name)}`;
  await connection.run(`CREATE VIEW ${view} AS ${await scanSql(connection, paths, of.columns)}`);
  await comment(connection, 'VIEW', view, of);
  return `lake.${name}`;
}

/** Schema `known`, the basis of the views; users do not need it. */
async function createKnown(connection: DuckDBConnection): Promise<void> {
  await connection.run(PART_MACRO.sql);
  await connection.run(`COMMENT ON MACRO ${PART_MACRO.name} IS ${literal(PART_MACRO.comment)}`);
  for (const { name, comment: text, sql } of PART_TABLES) {
    await connection.run(`CREATE TABLE known.${name} AS ${sql}`);
    const names = await connection.runAndReadAll(`DESCRIBE known.${name}`);
    const columns = names.getRows().map(([column]) => ({
      name: String(column),
      comment: PART_COLUMNS[String(column)] ?? '',
    }));
    await comment(connection, 'TABLE', `known.${name}`, { comment: text, columns });
  }
  for (const { name, summary } of datasets) {
    const view = `known.${identifier(name)}`;
    await connection.run(`CREATE VIEW ${view} AS ${knownRowsSql(name)}`);
    await comment(connection, 'VIEW', view, {
      comment: `${summary}: every row with the coverage status of its list`,
      columns: knownColumns(name),
    });
  }
}

/** Creates the macro or the view of a file, with its comments; true for views. */
async function createOne(connection: DuckDBConnection, file: SqlFile): Promise<boolean> {
  const { name, sql, meaning, columns } = file;
  await connection.run(sql);
  if (!/^CREATE MACRO\b/m.test(sql)) {
    const commented = [...columns].map(([column, text]) => ({ name: column, comment: text }));
    await comment(connection, 'VIEW', identifier(name), { comment: meaning, columns: commented });
    return true;
  }
  const kind = / AS TABLE\b/.test(sql) ? 'MACRO TABLE' : 'MACRO';
  await connection.run(`COMMENT ON ${kind} ${identifier(name)} IS ${literal(meaning)}`);
  return false;
}

/** Adds comments on views and columns, which analysts read in the database. */
async function comment(
  connection: DuckDBConnection,
  kind: 'TABLE' | 'VIEW',
  of: string,
  meaning: {
    readonly comment: string;
    readonly columns: readonly { readonly name: string; readonly comment: string }[];
  },
): Promise<void> {
  const statements = [
    `COMMENT ON ${kind} ${of} IS ${literal(meaning.comment)}`,
    ...meaning.columns.map(
      ({ name, comment: text }) =>
        `COMMENT ON COLUMN ${of}.${identifier(name)} IS ${literal(text)}`,
    ),
  ];
  await connection.run(statements.join(';'));
}
