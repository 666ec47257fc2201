import { randomUUID } from 'node:crypto';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { tablesBehind, tablesNotMade } from '../curate/curate.ts';
import { fillLakeTable, type LakeTable } from '../curate/rule/lake-tables.ts';
import { Fault } from '../fault.ts';
import type { Lake } from '../land/lake.ts';
import { openConnection, openDatabase } from '../land/storage/connection.ts';
import type { Disk } from '../land/storage/disk.ts';
import { identifier, literal } from '../land/storage/sql-text.ts';
import { emptyWarehouse } from './empty-warehouse.ts';
import { GONE, NOT_MADE } from './query/open-warehouse.ts';
import { fillEmpty } from './warehouse.ts';
import { contentAsOf, type WarehouseContent } from './warehouse-content.ts';

export interface AsOfOptions {
  readonly lake: Lake;
  readonly asOfMs: number;
  readonly disk: Disk;
  readonly note: (text: string) => void;
}

/**
 * Builds a warehouse over the older versions that the lake shows (`LakeOptions.asOfMs`), for as
 * long as `use` takes. A view whose files were removed fails where a query reads it, and so does
 * one of a curated table that has no version of the time. Tells `note` if other curated tables
 * lacked rows that the raw tables had. Throws Fault('usage') if the lake had no table then.
 */
export async function withWarehouseAsOf<T>(
  { lake, asOfMs, disk, note }: AsOfOptions,
  use: (warehouse: string) => Promise<T>,
): Promise<T> {
  const time = new Date(asOfMs).toISOString();
  if ((await lake.tables()).length === 0) {
    throw new Fault('usage', `The lake had no rows at ${time}.`, {
      where: lake.layout.root,
      advice: 'Give a later time: windrow runs lists the runs, which commit rows.',
    });
  }
  const missing = await tablesNotMade(lake);
  if ((await tablesBehind(lake)).length > missing.length) {
    note(`A run was under way at ${time}: the tables of schema lake had rows that others lacked.`);
  }
  const staging = lake.layout.stagingOf(lake.run);
  await disk.makeFolder(staging);
  const path = join(staging, `warehouse-${randomUUID()}.duckdb`);
  try {
    const { bytes, name } = await emptyWarehouse();
    const { content, covered } = await contentAsOf(lake, disk, name);
    const gone = await viewsWithoutFiles(content, time);
    for (const { name } of missing) {
      gone.set(`curated_files.${identifier(name)}`, `curated.${name} ${NOT_MADE} as of ${time}.`);
    }
    await writeFile(path, await bytes(content.names), { flag: 'wx' });
    await fillEmpty(path, withoutFilesOf(content, gone), (connection) =>
      coverFromLogs(connection, covered),
    );
    await refuse(path, gone);
    return await use(path);
  } finally {
    await disk.remove(path);
    await disk.remove(`${path}.wal`);
  }
}

/** Puts the rows of the coverage in place of the coverage tables, which may be older. */
async function coverFromLogs(connection: DuckDBConnection, covered: LakeTable): Promise<void> {
  const name = `files.${identifier(covered.name)}`;
  const columns = covered.columns.map((column) => `${column.name} ${column.type}`).join(', ');
  await connection.run(`DROP VIEW ${name}; CREATE TABLE ${name} (${columns})`);
  await fillLakeTable(connection, covered, 'files');
}

/** Why a view cannot answer, by the view of data files, with its schema. */
type ReasonsByView = Map<string, string>;

/** The views of which a data file is no longer on the disk. */
async function viewsWithoutFiles(
  { files, curated }: WarehouseContent,
  time: string,
): Promise<ReasonsByView> {
  const gone: ReasonsByView = new Map();
  const check = async (view: string, table: string, paths: readonly string[]): Promise<void> => {
    const reason = `Files of ${table} as of ${time} ${GONE}.`;
    for (const path of paths) await access(path).catch(() => gone.set(view, reason));
  };
  for (const { name, paths } of files) {
    await check(`files.${identifier(name)}`, `lake.${name}`, paths);
  }
  for (const [name, paths] of curated) {
    await check(`curated_files.${identifier(name)}`, `curated.${name}`, paths);
  }
  return gone;
}

function withoutFilesOf(content: WarehouseContent, gone: ReasonsByView): WarehouseContent {
  const isGone = (schema: string, name: string): boolean =>
    gone.has(`${schema}.${identifier(name)}`);
  return {
    ...content,
    files: content.files.map((each) =>
      isGone('files', each.name) ? { ...each, paths: [] } : each,
    ),
    curated: new Map([...content.curated].filter(([name]) => !isGone('curated_files', name))),
  };
}

/** Replaces the empty views by views that fail: an empty answer would be wrong. */
async function refuse(path: string, gone: ReasonsByView): Promise<void> {
  if (gone.size === 0) return;
  const instance = await openDatabase(path);
  const connection = await openConnection(instance);
  try {
    for (const [view, reason] of gone) {
      const described = await connection.runAndReadAll(`DESCRIBE ${view}`);
      const columns = described.getRows().map(([name, type]) => {
        return `CAST(NULL AS ${String(type)}) AS ${identifier(String(name))}`;
      });
      await connection.run(
        `CREATE OR REPLACE VIEW ${view} AS SELECT ${columns.join(', ')}
         WHERE CAST(error(${literal(reason)}) AS BOOLEAN)`,
      );
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
