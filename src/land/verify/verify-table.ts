import { findDataset } from '../../catalogue/index.ts';
import { Coverage } from '../../coverage/coverage.ts';
import type { Region } from '../../coverage/slice.ts';
import type { DataFile } from '../delta/actions.ts';
import { isOfLog } from '../delta/log-files.ts';
import { damagedFiles } from '../storage/damage.ts';
import { localDisk } from '../storage/disk.ts';
import { foldLedger, regionsOf } from './lost-regions.ts';
import { type EntryActions, type LogWalk, walkLog } from './walk-log.ts';

/** A data file that differs from the log. */
export interface FileDamage {
  /** Relative to the table's folder. */
  readonly path: string;
  /** The rest of a sentence that begins with "the file". */
  readonly what: string;
  /** Number of rows by the log; undefined if another program left it out. */
  readonly rows: number | undefined;
  /** Keys and blocks of its list at its heights; empty if nothing there is covered. */
  readonly regions: readonly Region[];
}

export interface TableVerification {
  readonly chain: string;
  readonly table: string;
  readonly folder: string;
  readonly log: LogWalk;
  /** Data files of the newest version. */
  readonly files: number;
  readonly damaged: readonly FileDamage[];
  /** Data files of the newest version without a sha256 in the log: other programs wrote them. */
  readonly unproven: readonly string[];
  /** Changed files of older versions, which only `--as-of` reads. */
  readonly outdated: readonly string[];
  /** Files in the table's folder that no log entry names. */
  readonly orphans: readonly string[];
  /** Versions of the tables that this one was derived from, by name. */
  readonly madeFrom: ReadonlyMap<string, number>;
}

/** A table's folder, `lake/<chain>/<table>`. */
export interface TablePlace {
  readonly chain: string;
  readonly table: string;
  readonly folder: string;
}

/** Compares every file of a table with its log. */
export async function verifyTable(place: TablePlace): Promise<TableVerification> {
  const live = new Map<string, DataFile>();
  /** All files that a log names; undefined for one that was removed before the log begins. */
  const named = new Map<string, DataFile | undefined>();
  const madeFrom = new Map<string, number>();
  // Listed before the log is read, so files that a run commits meanwhile are no orphans.
  const present = (await localDisk.files(place.folder)).filter((path) => !isOfLog(path));
  const log = await walkTable(place, ({ added, removed, transactions }) => {
    for (const path of removed) {
      live.delete(path);
      named.set(path, named.get(path));
    }
    for (const file of added) {
      live.set(file.path, file);
      named.set(file.path, file);
    }
    for (const { appId, version } of transactions) madeFrom.set(appId, version);
  });
  const damaged = await damagedFiles(place.folder, live.values(), 'bytes');
  const broken = new Map(damaged.map(({ file, what }) => [file.path, what]));
  const older = present.flatMap((path) => (live.has(path) ? undefined : named.get(path)) ?? []);
  const outdated = await damagedFiles(place.folder, older, 'bytes');
  return {
    ...place,
    log,
    files: live.size,
    damaged: await withRegions(place, live, broken),
    unproven: [...live.values()].flatMap(({ path, sha256 }) =>
      sha256 === undefined ? [path] : [],
    ),
    outdated: outdated.map(({ file }) => file.path),
    orphans: present.filter((path) => !named.has(path)),
    madeFrom,
  };
}

/** Adds regions to damaged files. Reads the log a second time, only if files are damaged. */
async function withRegions(
  place: TablePlace,
  live: ReadonlyMap<string, DataFile>,
  broken: ReadonlyMap<string, string>,
): Promise<FileDamage[]> {
  if (broken.size === 0) return [];
  const coverage = new Coverage();
  await walkTable(place, ({ ledger }) => {
    if (ledger !== undefined) foldLedger(coverage, ledger);
  });
  return [...broken].flatMap(([path, what]) => {
    const file = live.get(path);
    return file ? [{ path, what, rows: file.rows, regions: regionsOf(coverage, file) }] : [];
  });
}

/** Visits all readable entries of the table's log. */
export function walkTable(
  { folder, table }: TablePlace,
  visit: (entry: EntryActions) => void,
): Promise<LogWalk> {
  // Tables that are not datasets have this height column.
  const heightColumn = findDataset(table)?.heightColumn ?? 'from_block';
  return walkLog(folder, heightColumn, visit);
}
