import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { datasetNamed, datasets } from '../catalogue/index.ts';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import { tableColumns } from '../land/columns.ts';
import type { Disk } from '../land/disk.ts';
import type { Lake } from '../land/lake.ts';
import { identifier, literal } from '../land/parquet.ts';
import { scanSql } from '../land/scan.ts';
import { coverageTable, createLakeTable, type TableVersion, tablesTable } from './lake-tables.ts';
import { messageOf } from './open-warehouse.ts';
import { sqlFiles } from './sql-files.ts';

export interface Published {
  readonly path: string;
  /** Views of the warehouse as they are asked for: `lake.transactions`, `transactions` ... */
  readonly views: readonly string[];
}

/**
 * Builds the warehouse from the newest versions of the lake's tables and publishes it whole by
 * rename: who has the old file open keeps it, who opens it next gets the new one. It holds no truth
 * of its own, so it can be rebuilt at any time. Fault('lake') where a data file cannot be read.
 */
export async function publishWarehouse(options: {
  readonly lake: Lake;
  readonly effects: Effects;
  readonly disk: Disk;
}): Promise<Published> {
  const { lake, effects, disk } = options;
  const { warehouse, staging, root } = lake.layout;
  await disk.makeFolder(staging);
  const versions = await versionsOf(lake);
  const staged = join(staging, `warehouse-${randomUUID()}.duckdb`);
  try {
    const views = await build(staged, lake.chain, versions);
    effects.reached('warehouse built');
    await disk.sync(staged);
    effects.reached('warehouse synced');
    // A log left by somebody who wrote to the old file must not be replayed into the new one.
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
 * The tables of all datasets, also of those without a commit. A snapshot moves with the log, so
 * files and coverage are copied at once: they must be of the same version.
 */
async function versionsOf(lake: Lake): Promise<TableVersion[]> {
  const versions: TableVersion[] = [];
  for (const { name } of datasets) {
    const table = lake.table(name);
    const snapshot = await table.snapshot();
    const files = [...snapshot.files.values()];
    versions.push({
      dataset: name,
      version: snapshot.version,
      // The views must find the files from any working directory.
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

async function build(
  path: string,
  chain: string,
  versions: readonly TableVersion[],
): Promise<string[]> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  try {
    await connection.run('BEGIN; CREATE SCHEMA lake');
    for (const table of [coverageTable(versions), tablesTable(chain, versions)]) {
      await createLakeTable(connection, table);
      await comment(connection, 'TABLE', `lake.${table.name}`, table);
    }
    const views: string[] = [];
    for (const version of versions) views.push(await createDatasetView(connection, version));
    for (const { name, sql, meaning } of await sqlFiles('macros')) {
      await connection.run(sql);
      const kind = / AS TABLE\b/.test(sql) ? 'MACRO TABLE' : 'MACRO';
      await connection.run(`COMMENT ON ${kind} ${identifier(name)} IS ${literal(meaning)}`);
    }
    for (const { name, sql, meaning, columns } of await sqlFiles('views')) {
      await connection.run(sql);
      const commented = [...columns].map(([column, text]) => ({ name: column, comment: text }));
      await comment(connection, 'VIEW', identifier(name), { comment: meaning, columns: commented });
      views.push(name);
    }
    await connection.run('COMMIT; CHECKPOINT');
    return views;
  } catch (error) {
    throw new Fault('lake', `The warehouse could not be built: ${messageOf(error)}`, {
      advice:
        'If a data file is missing or broken, restore it, or move its table folder away and run ' +
        'the pipeline again, which fetches it anew. The old warehouse stays as it was.',
      cause: error,
    });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** `lake.<dataset>`, over the files of one version by their names: it follows no glob. */
async function createDatasetView(
  connection: DuckDBConnection,
  { dataset, paths }: TableVersion,
): Promise<string> {
  const columns = tableColumns(dataset);
  const view = `lake.${identifier(dataset)}`;
  await connection.run(`CREATE VIEW ${view} AS ${await scanSql(connection, paths, columns)}`);
  await comment(connection, 'VIEW', view, { comment: datasetNamed(dataset).summary, columns });
  return `lake.${dataset}`;
}

/** Comments are how an analyst learns, inside the database, what a row and a column mean. */
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
