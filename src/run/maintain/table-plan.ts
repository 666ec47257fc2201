import type { DataFile } from '../../land/delta/actions.ts';
import type { FileCopy } from '../../land/delta/prepared-commit.ts';
import type { MaintenanceRules } from '../../pipeline/maintenance.ts';
import { planMerges } from './merges.ts';

/** A table as its log and its folder show it. */
export interface TableFacts {
  /** Path of its folder below the data root, as in `lake/MAINCHAIN/blocks`. */
  readonly table: string;
  readonly files: ReadonlyMap<string, DataFile>;
  /** When files left the table [ms since the Unix epoch]; 0 if that is unknown. */
  readonly removedAt: ReadonlyMap<string, number>;
  /** Whether its files may be merged. */
  readonly isMerged: boolean;
  /** Whether the next run may replace rows of the file. */
  readonly isProvisional: (file: DataFile) => boolean;
  /** Data files in its folder that are not in its newest version. */
  readonly others: readonly FileOnDisk[];
}

export interface FileOnDisk {
  /** Relative to the table's folder. */
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** What maintenance will do with the files of one table. */
export interface TablePlan {
  readonly table: string;
  readonly merges: readonly FileCopy[];
  /** Files to delete that left the table longer ago than the retention. */
  readonly expired: readonly DeletedFile[];
  /** Files to delete that are in no version of the table. */
  readonly orphans: readonly DeletedFile[];
}

export interface DeletedFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Orphans younger than this stay, whatever the retention: a command that takes no lock may be about
 * to commit them. A load on workers or on Spark may take hours.
 */
const YOUNG_MS = 86_400_000;

/** The plan for a table. Without retention, the files of its merges are deleted, too. */
export function planTable(facts: TableFacts, rules: MaintenanceRules, nowMs: number): TablePlan {
  const { table, files, removedAt, isMerged, isProvisional, others } = facts;
  const { target, retainMs } = rules;
  const merges = isMerged ? planMerges(files.values(), isProvisional, target) : [];
  const expired: DeletedFile[] = [];
  const orphans: DeletedFile[] = [];
  for (const { path, bytes, modifiedMs } of others) {
    if (files.has(path)) continue;
    const atMs = removedAt.get(path);
    if (atMs === undefined) {
      if (modifiedMs <= nowMs - Math.max(retainMs, YOUNG_MS)) orphans.push({ path, bytes });
    } else if (atMs > 0 && atMs <= nowMs - retainMs) expired.push({ path, bytes });
  }
  if (retainMs === 0) {
    for (const { path, sizeBytes } of merges.flatMap((merge) => merge.files)) {
      expired.push({ path, bytes: sizeBytes });
    }
  }
  return { table, merges, expired, orphans };
}

/** Whether the plan does anything. */
export function hasWork({ merges, expired, orphans }: TablePlan): boolean {
  return merges.length + expired.length + orphans.length > 0;
}
