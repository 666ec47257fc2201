import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { datasets } from '../catalogue/index.ts';
import type { Effects } from '../effects.ts';
import { tableColumns } from '../land/columns.ts';
import type { Disk } from '../land/disk.ts';
import type { Lake } from '../land/lake.ts';
import { identifier, literal } from '../land/parquet.ts';
import { fillCoverage, fillTables } from './ledger.ts';
import { sqlFiles } from './sql-files.ts';

export interface Warehouse {
  readonly path: string;
  /** Names of the joined views. */
  readonly views: readonly string[];
}

export interface WarehouseOptions {
  readonly lake: Lake;
  readonly disk: Disk;
  readonly effects: Effects;
}

/**
 * Builds the warehouse aside and publishes it by rename: one version of every table, the coverage
 * of that moment, and the views over both. It holds no truth: it may be deleted and built again.
 * Readers that have the former one open keep it.
 */
export async function publishWarehouse({
  lake,
  disk,
  effects,
}: WarehouseOptions): Promise<Warehouse> {
  const { staging, warehouse, root } = lake.layout;
  await disk.makeFolder(staging);
  const aside = join(staging, `${randomUUID()}.duckdb`);
  const instance = await DuckDBInstance.create(aside);
  const connection = await instance.connect();
  let views: string[];
  try {
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run('CREATE SCHEMA lake');
    for (const { name } of datasets) await createDatasetView(connection, lake, name);
    await fillCoverage(connection, lake);
    await fillTables(connection, lake);
    views = await createViews(connection);
    await connection.run('CHECKPOINT');
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  effects.reached('warehouse built');
  await disk.sync(aside);
  await disk.makeFolder(root);
  await disk.rename(aside, warehouse);
  await disk.syncFolder(dirname(warehouse));
  effects.reached('warehouse renamed');
  return { path: warehouse, views };
}

/** `lake.<dataset>` over the files of one version, named one by one: no reader follows a glob. */
async function createDatasetView(
  connection: DuckDBConnection,
  lake: Lake,
  dataset: string,
): Promise<void> {
  const table = lake.table(dataset);
  const snapshot = await table.snapshot();
  const paths = table.paths(snapshot);
  const columns = tableColumns(dataset);
  const view = `lake.${identifier(dataset)}`;
  const select = columns.map(({ name, type }) => {
    // A column that came later than the files is NULL in all of them.
    const isThere = paths.length > 0 && snapshot.columns.includes(name);
    return `${isThere ? identifier(name) : 'NULL'}::${type} AS ${identifier(name)}`;
  });
  const source =
    paths.length === 0
      ? '(SELECT 1 WHERE false)'
      : `read_parquet([${paths.map(literal).join(', ')}], union_by_name = true)`;
  await connection.run(`CREATE VIEW ${view} AS SELECT ${select.join(', ')} FROM ${source}`);
  await connection.run(`COMMENT ON VIEW ${view} IS ${literal(table.dataset.summary)}`);
  for (const { name, comment } of columns) {
    await connection.run(`COMMENT ON COLUMN ${view}.${identifier(name)} IS ${literal(comment)}`);
  }
}

async function createViews(connection: DuckDBConnection): Promise<string[]> {
  for (const { sql } of await sqlFiles('macros')) await connection.run(sql);
  const files = await sqlFiles('views');
  for (const { name, sql, meaning, columns } of files) {
    await connection.run(sql);
    await connection.run(`COMMENT ON VIEW ${identifier(name)} IS ${literal(meaning)}`);
    for (const [column, comment] of columns) {
      const at = `${identifier(name)}.${identifier(column)}`;
      await connection.run(`COMMENT ON COLUMN ${at} IS ${literal(comment)}`);
    }
  }
  return files.map(({ name }) => name);
}
