import { join } from 'node:path';
import { endpoints } from '../../catalogue/index.ts';
import type { Region } from '../../coverage/slice.ts';
import { isCaptured } from '../captured-table.ts';
import { COVERAGE } from '../coverage-index.ts';
import { entryName, LOG } from '../delta/log-files.ts';
import { shortenedText } from '../shortened-log.ts';
import type { Disk } from '../storage/disk.ts';
import { layout } from '../storage/layout.ts';
import { type TablePlace, type TableVerification, verifyTable } from './verify-table.ts';

/** A file on disk that differs from the written one. */
export interface Damage {
  readonly chain: string;
  readonly table: string;
  readonly kind: 'log entry' | 'data file' | 'checkpoint';
  /** Path of the damaged file. */
  readonly path: string;
  /** A complete sentence. */
  readonly finding: string;
  /** Version of a log entry. */
  readonly version?: number;
  /** Number of rows of a data file, by the log. */
  readonly rows?: number;
  /** Keys and blocks of the affected rows. */
  readonly regions: readonly Region[];
}

export interface LakeVerification {
  readonly tables: readonly TableVerification[];
  readonly damages: readonly Damage[];
}

/**
 * Compares every log entry with its seal and every data file with the sha256 in the log, in all
 * tables under a data root. Changes nothing.
 */
export async function verifyLake(root: string, disk: Disk): Promise<LakeVerification> {
  const tables: TableVerification[] = [];
  for (const place of await tablesIn(root, disk)) tables.push(await verifyTable(place));
  const damages = tables.flatMap(damagesOf);
  return { tables, damages: [...damages, ...lostEntries(root, tables, damages)] };
}

/**
 * The folders of all tables under a data root, by chain, curated tables last. The coverage tables
 * come first: they record versions of the other tables, which are then at least as new even if a
 * run commits meanwhile.
 */
export async function tablesIn(root: string, disk: Disk): Promise<TablePlace[]> {
  const { lake, curated, table: folderOf, curatedTable } = layout(root);
  const places: TablePlace[] = [];
  for (const chain of (await disk.list(lake)).sort()) {
    const names = (await disk.list(join(lake, chain))).sort();
    for (const table of names.sort((a, b) => Number(b === COVERAGE) - Number(a === COVERAGE))) {
      const folder = folderOf(chain, table);
      if ((await disk.list(folder)).length > 0) places.push({ chain, table, folder });
    }
  }
  for (const chain of (await disk.list(curated)).sort()) {
    for (const name of (await disk.list(join(curated, chain))).sort()) {
      const folder = curatedTable(chain, name);
      places.push({ chain, table: `${CURATED}${name}`, folder });
    }
  }
  return places;
}

/** Before the name of a curated table; raw tables have no prefix. */
const CURATED = 'curated/';

/** Whether a place is that of a curated table, which is computed again rather than fetched. */
export function isCurated({ table }: Pick<TablePlace, 'table'>): boolean {
  return table.startsWith(CURATED);
}

/** Whether lists have the rows of a table. Captured rows and submissions are in no list. */
export function isFetched(table: string): boolean {
  const isSubmitted = endpoints.some(({ list, dataset }) => {
    return list === 'submission' && dataset === table;
  });
  return !isCaptured(table) && !isSubmitted;
}

function damagesOf(verification: TableVerification): Damage[] {
  const { chain, table, folder, log, damaged } = verification;
  const at = join(folder, LOG);
  return [
    ...log.damaged.map(({ version, path, what }): Damage => {
      const finding = `The log entry of version ${version} ${what}.`;
      return { chain, table, kind: 'log entry', path, finding, version, regions: [] };
    }),
    ...log.damagedCheckpoints.map(({ name, what }): Damage => {
      const finding = `The checkpoint ${what}.`;
      return { chain, table, kind: 'checkpoint', path: join(at, name), finding, regions: [] };
    }),
    ...damaged.map(({ path, what, rows, regions }): Damage => {
      const finding = `The data file ${what}.`;
      const damage = { chain, table, path: join(folder, path), finding, regions };
      return { ...damage, kind: 'data file', ...(rows === undefined ? {} : { rows }) };
    }),
  ];
}

/** Newest log entries that are missing: only the table `coverage` records their versions. */
function lostEntries(
  root: string,
  tables: readonly TableVerification[],
  damages: readonly Damage[],
): Damage[] {
  const lost: Damage[] = [];
  for (const { chain, madeFrom } of tables.filter(({ table }) => table === COVERAGE)) {
    if (damages.some((damage) => damage.chain === chain && damage.table === COVERAGE)) continue;
    for (const [table, version] of madeFrom) {
      // Names with an id beside the table's name have the same versions.
      if (table.includes('/')) continue;
      const verification = tables.find((entry) => entry.chain === chain && entry.table === table);
      const newest = verification?.log.newest ?? -1;
      if (newest >= version) continue;
      const path = join(layout(root).table(chain, table), LOG, entryName(newest + 1));
      const finding = shortenedText({ newest, version });
      const damage = { chain, table, path, finding, version: newest + 1, regions: [] };
      lost.push({ ...damage, kind: 'log entry' });
    }
  }
  return lost;
}
