import { randomUUID } from 'node:crypto';
import { access, constants, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { tablesBehind, tablesNotMade } from '../curate/curate.ts';
import { curatedTable } from '../curate/curate-axis.ts';
import { CURATED_TABLES } from '../curate/curated-tables.ts';
import { fillLakeTable, type LakeTable } from '../curate/rule/lake-tables.ts';
import { Fault } from '../fault.ts';
import type { Lake } from '../land/lake.ts';
import { openConnection, openDatabase } from '../land/storage/connection.ts';
import { type Disk, isCode } from '../land/storage/disk.ts';
import { identifier, literal } from '../land/storage/sql-text.ts';
import { emptyWarehouse } from './empty-warehouse.ts';
import { GONE, NOT_MADE } from './query/open-warehouse.ts';
import { fillEmpty } from './warehouse.ts';
import { contentAsOf, type WarehouseContent } from './warehouse-content.ts';

/** The time of older versions, and the version that a raw table must have then, if any. */
export interface AsOf {
  /** Milliseconds since the Unix epoch. */
  readonly ms: number;
  readonly table?: { readonly dataset: string; readonly version: number };
}

export interface AsOfOptions {
  /** Shows the older versions (`LakeOptions.asOfMs`). */
  readonly lake: Lake;
  /** The same lake in its newest versions. */
  readonly newest: Lake;
  readonly asOf: AsOf;
  readonly disk: Disk;
  readonly note: (text: string) => void;
}

/**
 * Builds a warehouse over older versions of a lake, for as long as `use` takes. A view whose files
 * were removed fails where a query reads it, and so does one of a curated table that has no version
 * of the time. Tells `note` if other curated tables lacked rows that the raw tables had. Throws
 * Fault('usage') if the lake had no table then.
 */
export async function withWarehouseAsOf<T>(
  options: AsOfOptions,
  use: (warehouse: string) => Promise<T>,
): Promise<T> {
  const { lake, asOf, disk, note } = options;
  const time = new Date(asOf.ms).toISOString();
  if ((await lake.tables()).length === 0) {
    throw new Fault('usage', `The lake had no rows at ${time}.`, {
      where: lake.layout.root,
      advice: 'Give a later time: windrow runs lists the runs, which commit rows.',
    });
  }
  await checkVersion(lake, asOf, time);
  const missing = await tablesNotMade(lake);
  if ((await tablesBehind(lake)).length > missing.length) {
    note(`A run was under way at ${time}: the tables of schema lake had rows that others lacked.`);
  }
  const folder = await folderFor(lake, disk);
  const path = join(folder, `warehouse-${randomUUID()}.duckdb`);
  try {
    const { bytes, name } = await emptyWarehouse();
    const { content, covered } = await contentAsOf(lake, disk, name);
    const gone = await viewsWithoutFiles(content, options, time);
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

/** Throws Fault('usage') where the clock of a writer went back: no time shows the version then. */
async function checkVersion(lake: Lake, { table }: AsOf, time: string): Promise<void> {
  if (table === undefined) return;
  const { version } = await lake.table(table.dataset).snapshot();
  if (version === table.version) return;
  throw new Fault(
    'usage',
    `lake.${table.dataset} had version ${version} at ${time}, not ${table.version} (--as-of).`,
    {
      where: lake.layout.root,
      advice: 'Give a time: by the clocks of its writers, no time has exactly this version.',
    },
  );
}

/** The staging folder, or the folder of temporary files if the data root is read-only. */
async function folderFor(lake: Lake, disk: Disk): Promise<string> {
  const staging = lake.layout.stagingOf(lake.run);
  try {
    await disk.makeFolder(staging);
    await access(staging, constants.W_OK);
    return staging;
  } catch (error) {
    if (['EACCES', 'EROFS', 'EPERM'].some((code) => isCode(error, code))) return tmpdir();
    throw error;
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

/** The views of which a data file was deleted after it had left its table. */
async function viewsWithoutFiles(
  { files, curated }: WarehouseContent,
  { newest, disk }: AsOfOptions,
  time: string,
): Promise<ReasonsByView> {
  const gone: ReasonsByView = new Map();
  const check = async (view: string, table: string, paths: readonly string[]): Promise<void> => {
    const sinceMs = await wholeSince(paths, newest, disk);
    if (sinceMs === undefined) return;
    const since = new Date(sinceMs).toISOString();
    gone.set(view, `Files of ${table} as of ${time} ${GONE}; it has all files from ${since} on.`);
  };
  for (const { name, paths } of files) {
    await check(`files.${identifier(name)}`, `lake.${name}`, paths);
  }
  for (const [name, paths] of curated) {
    await check(`curated_files.${identifier(name)}`, `curated.${name}`, paths);
  }
  return gone;
}

/**
 * The first time of which all files of a table are there [ms since the Unix epoch]; undefined if
 * these files are there, or if the newest version needs those that are missing.
 */
async function wholeSince(
  paths: readonly string[],
  newest: Lake,
  disk: Disk,
): Promise<number | undefined> {
  const missing: string[] = [];
  for (const path of paths) await access(path).catch(() => missing.push(path));
  if (missing.length === 0) return undefined;
  const tables = [
    ...(await newest.storedTables()),
    ...CURATED_TABLES.map((table) => curatedTable(newest, table)),
  ];
  let sinceMs: number | undefined;
  for (const table of tables) {
    const lost = missing.filter((path) => dirname(path) === resolve(table.folder));
    const { removedAt } = await table.snapshot();
    if (!lost.some((path) => removedAt.has(basename(path)))) continue;
    const present = new Set(await disk.list(table.folder));
    for (const [path, atMs] of removedAt) {
      if (!present.has(path)) sinceMs = Math.max(sinceMs ?? 0, atMs);
    }
  }
  return sinceMs;
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
