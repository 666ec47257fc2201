import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { tablesBehind } from '../curate/curate.ts';
import type { LakeTable } from '../curate/rule/lake-tables.ts';
import type { Lake } from '../land/lake.ts';
import { append, declared } from '../land/storage/appending.ts';
import { withDatabase } from '../land/storage/connection.ts';
import type { Disk } from '../land/storage/disk.ts';
import { identifier, literal } from '../land/storage/sql-text.ts';
import { emptyWarehouse } from './empty-warehouse.ts';
import { NOT_MADE } from './query/open-warehouse.ts';
import { publicationOf } from './query/publication.ts';
import { fillEmpty } from './warehouse.ts';
import { contentToRead, publicationToRead, type WarehouseContent } from './warehouse-content.ts';

/** Why a view cannot answer, by the view of data files, with its schema. */
export type ReasonsByView = Map<string, string>;

/**
 * Writes a warehouse over a lake that is only read to a new file. `gone` finds views that lack
 * files: they fail where a query reads them, and so do those of curated tables that have no version
 * `when`. Tells `note` if other curated tables lack rows that the raw tables have.
 */
export async function writeWarehouse(
  path: string,
  { lake, disk, note }: ReadOnlyOptions,
  when: string,
  gone: (content: WarehouseContent) => Promise<ReasonsByView> = async () => new Map(),
): Promise<void> {
  const behind = await tablesBehind(lake);
  if (behind.some(({ isMade }) => isMade)) {
    note(`A run was under way at ${when}: the tables of schema lake had rows that others lacked.`);
  }
  const { bytes, name } = await emptyWarehouse();
  const { content, covered } = await contentToRead(lake, name);
  const reasons = await gone(content);
  for (const { name: table } of behind.filter(({ isMade }) => !isMade)) {
    const view = `curated_files.${identifier(table)}`;
    reasons.set(view, `curated.${table} ${NOT_MADE} as of ${when}.`);
  }
  await disk.write(path, await bytes());
  await fillEmpty(path, withoutFilesOf(content, reasons), (connection) =>
    coverFromLogs(connection, covered),
  );
  await refuse(path, reasons);
}

export interface ReadOnlyOptions {
  readonly lake: Lake;
  readonly disk: Disk;
  readonly note: (text: string) => void;
}

/**
 * Brings the warehouse in the cache folder of a data root up to date that cannot be written
 * (`layoutToRead`). The lake is only read: curated tables stay as they are. `onBuild` is called
 * before a build.
 */
export async function cacheWarehouse(
  options: ReadOnlyOptions & { readonly nowMs: number; readonly onBuild: () => void },
): Promise<void> {
  const { lake, disk, nowMs, onBuild } = options;
  const { warehouse } = lake.layout;
  const { name } = await emptyWarehouse();
  const newest = await publicationToRead(lake, name);
  const shown = await publicationOf(warehouse);
  const isSame = shown?.lakeDigest === newest.lakeDigest;
  if (isSame && shown.runsDigest === newest.runsDigest) return;
  onBuild();
  const staging = lake.layout.stagingOf(lake.run);
  await disk.makeFolder(staging);
  const staged = join(staging, `warehouse-${randomUUID()}.duckdb`);
  try {
    await writeWarehouse(staged, options, new Date(nowMs).toISOString());
    await disk.rename(staged, warehouse);
  } finally {
    await disk.remove(staged);
    await disk.remove(`${staged}.wal`);
  }
}

/** Puts the rows of the coverage in place of the coverage tables, which may be older. */
async function coverFromLogs(
  connection: DuckDBConnection,
  { name, columns, rows }: LakeTable,
): Promise<void> {
  await connection.run(
    `DROP VIEW files.${name}; CREATE TABLE files.${name} (${declared(columns)})`,
  );
  await append(connection, name, columns, rows, 'files');
}

function withoutFilesOf(content: WarehouseContent, gone: ReasonsByView): WarehouseContent {
  const isGone = (schema: string, name: string): boolean =>
    gone.has(`${schema}.${identifier(name)}`);
  return {
    ...content,
    files: content.files.map((file) =>
      isGone('files', file.name) ? { ...file, paths: [] } : file,
    ),
    curated: new Map([...content.curated].filter(([name]) => !isGone('curated_files', name))),
  };
}

/** Replaces the empty views by views that fail: an empty answer would be wrong. */
async function refuse(path: string, gone: ReasonsByView): Promise<void> {
  if (gone.size === 0) return;
  await withDatabase(path, async (connection) => {
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
  });
}
