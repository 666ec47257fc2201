import { join } from 'node:path';
import { isAskedByHash, type ListId, listKey } from '../../coverage/list.ts';
import { type Interval, overlaps } from '../../coverage/ranges.ts';
import { isUnfinished } from '../../coverage/unfinished.ts';
import type { DataFile } from '../../land/delta/actions.ts';
import { EVERY_HEIGHT } from '../../land/delta/changed-heights.ts';
import type { Snapshot } from '../../land/delta/fold.ts';
import { isOfLog } from '../../land/delta/log-files.ts';
import type { FileCopy } from '../../land/delta/prepared-commit.ts';
import type { StoredTable } from '../../land/delta/stored-table.ts';
import { localDisk } from '../../land/storage/disk.ts';
import type { FileTarget, MaintenanceRules } from '../../pipeline/maintenance.ts';
import { planMerges } from './merges.ts';
import type { MaintainedTable } from './tables.ts';

/** The merges of one table. */
export interface MergePlan {
  /** Path of its folder below the data root, as in `lake/MAINCHAIN/blocks`. */
  readonly table: string;
  readonly stored: StoredTable;
  readonly merges: readonly FileCopy[];
}

/** The work of maintenance on the files of one table. */
export interface TablePlan extends MergePlan {
  /** Files to delete that left the table longer ago than the retention. */
  readonly expired: readonly DeletedFile[];
  /** Files to delete that are in no version of the table. */
  readonly orphans: readonly DeletedFile[];
}

export interface DeletedFile {
  /** Relative to the table's folder. */
  readonly path: string;
  readonly bytes: number;
}

/**
 * Orphans younger than this stay, whatever the retention: a command that takes no lock may be about
 * to commit them. A load on workers or on Spark may take hours.
 */
const YOUNG_MS = 86_400_000;

/** Merges of the table, which need its log alone. Curated tables are merged while curated. */
export async function mergesOf(
  { name: table, stored, isCurated }: MaintainedTable,
  target: FileTarget,
): Promise<MergePlan> {
  const snapshot = await stored.snapshot();
  const isMerged = !isCurated && hasOwnColumns(stored, snapshot);
  const isProvisional = provisionalFiles(stored, snapshot);
  const merges = isMerged ? planMerges(snapshot.files.values(), isProvisional, target) : [];
  return { table, stored, merges };
}

/** The plan for a table. Without retention, the files of its merges are deleted, too. */
export async function planTable(
  maintained: MaintainedTable,
  { target, retainMs }: MaintenanceRules,
  nowMs: number,
): Promise<TablePlan> {
  const { stored } = maintained;
  // Listed before the log is read, so files that are committed meanwhile are no orphans.
  const paths = (await localDisk.files(stored.folder)).filter((path) => {
    return path.endsWith('.parquet') && !isOfLog(path);
  });
  const plan = await mergesOf(maintained, target);
  const { files, removedAt } = await stored.snapshot();
  const expired: DeletedFile[] = [];
  const orphans: DeletedFile[] = [];
  for (const path of paths.filter((path) => !files.has(path))) {
    const facts = await localDisk.stat(join(stored.folder, path));
    if (facts === undefined) continue;
    const { bytes, modifiedMs } = facts;
    // Milliseconds since the Unix epoch; 0 if the time is unknown.
    const atMs = removedAt.get(path);
    if (atMs === undefined) {
      if (modifiedMs <= nowMs - Math.max(retainMs, YOUNG_MS)) orphans.push({ path, bytes });
    } else if (atMs > 0 && atMs <= nowMs - retainMs) expired.push({ path, bytes });
  }
  if (retainMs === 0) {
    for (const { path, sizeBytes } of plan.merges.flatMap((merge) => merge.files)) {
      expired.push({ path, bytes: sizeBytes });
    }
  }
  return { ...plan, expired, orphans };
}

/** A newer windrow or another program may have added columns, which a merge would lose. */
function hasOwnColumns({ shape }: StoredTable, { columns }: Snapshot): boolean {
  const names = new Set(shape.columns.map(({ name }) => name));
  return columns.every((name) => names.has(name));
}

/**
 * Whether a file lies at heights where its list has provisional coverage: the next run replaces
 * such rows, except where records are unfinished. Files of several lists count as provisional.
 */
function provisionalFiles(
  { shape }: StoredTable,
  { coverage }: Snapshot,
): (file: DataFile) => boolean {
  if (!shape.isBySource) return () => false;
  const lists = new Map<string, readonly Interval[]>();
  const provisionalIn = (list: ListId): readonly Interval[] => {
    // The coverage of a hash says nothing of the height of its row.
    if (isAskedByHash(list)) return [];
    const [all = { from: 0, to: 0 }] = EVERY_HEIGHT;
    return coverage.overlapping(list, all).filter((entry) => {
      return entry.status === 'provisional' && !isUnfinished(entry);
    });
  };
  return ({ source, heights }) => {
    if (source === undefined || heights === undefined) return true;
    const provisional = lists.get(listKey(source)) ?? provisionalIn(source);
    lists.set(listKey(source), provisional);
    return provisional.some((interval) => overlaps(interval, heights));
  };
}
