import { randomUUID } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { curatedTable } from '../curate/curate-axis.ts';
import { CURATED_TABLES } from '../curate/curated-tables.ts';
import { Fault } from '../fault.ts';
import type { Lake } from '../land/lake.ts';
import type { Disk } from '../land/storage/disk.ts';
import { identifier } from '../land/storage/sql-text.ts';
import { GONE } from './query/open-warehouse.ts';
import { type ReadOnlyOptions, type ReasonsByView, writeWarehouse } from './read-only-warehouse.ts';
import type { WarehouseContent } from './warehouse-content.ts';

/** The time of older versions, and the version that a raw table must have then, if any. */
export interface AsOf {
  /** Milliseconds since the Unix epoch. */
  readonly ms: number;
  readonly table?: { readonly dataset: string; readonly version: number };
}

/** The lake shows the older versions (`LakeOptions.asOfMs`). */
export interface AsOfOptions extends ReadOnlyOptions {
  /** This lake in its newest versions. */
  readonly newest: Lake;
  readonly asOf: AsOf;
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
      advice: { text: 'Give a later time: runs commit rows.', command: 'windrow runs' },
    });
  }
  await checkVersion(lake, asOf, time);
  const staging = lake.layout.stagingOf(lake.run);
  await disk.makeFolder(staging);
  const path = join(staging, `warehouse-${randomUUID()}.duckdb`);
  try {
    await writeWarehouse(path, { lake, disk, note }, time, (content) =>
      viewsWithoutFiles(content, options, time),
    );
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
  for (const path of paths) if ((await disk.stat(path)) === undefined) missing.push(path);
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
