import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import type { DataFile } from '../../land/delta/actions.ts';
import { ledger } from '../../land/delta/ledger.ts';
import type { FileCopy } from '../../land/delta/prepared-commit.ts';
import type { StoredTable } from '../../land/delta/stored-table.ts';
import { damagedFiles } from '../../land/storage/damage.ts';
import type { Disk } from '../../land/storage/disk.ts';
import { diskFault } from '../../land/storage/disk-fault.ts';
import type { MergePlan, TablePlan } from './table-plan.ts';

/** Merges that are done, and those that are not. */
export interface MergeCounts {
  /** Files that left their tables. */
  readonly merged: number;
  /** Files that took their place. */
  readonly written: number;
  readonly rows: number;
  /** Files that differ from the log, so that their merges were left out. */
  readonly damaged: readonly { readonly path: string; readonly what: string }[];
  /** Merges for which the time did not suffice, or the memory of DuckDB. */
  readonly left: number;
}

export interface DeletedCounts {
  readonly files: number;
  readonly bytes: number;
}

/** The operation of a commit that moves rows between files, in the words of the Delta protocol. */
const OPTIMIZE = 'OPTIMIZE';
/** Rows that one commit moves, so that losing a race costs little. */
const COMMIT_ROWS = 250_000;

/** Executes the merges of plans, until `isOver`. Throws Fault('lake') for a failing disk. */
export async function executeMerges(
  plans: readonly MergePlan[],
  { run, isOver }: { readonly run: string; readonly isOver: () => boolean },
): Promise<MergeCounts> {
  const counts = { merged: 0, written: 0, rows: 0, left: 0 };
  const damaged: { path: string; what: string }[] = [];
  for (const { stored, merges } of plans) {
    for (const batch of batchesOf(merges)) {
      if (isOver()) {
        counts.left += batch.length;
        continue;
      }
      const whole: FileCopy[] = [];
      for (const merge of batch) {
        // A copy of its rows would get a checksum of its own, and hide the damage for good.
        const [damage] = await damagedFiles(stored.folder, merge.files, 'bytes');
        if (damage === undefined) whole.push(merge);
        else damaged.push({ path: damage.path, what: damage.what });
      }
      const done = await mergeFiles(stored, whole, run).catch((error: unknown) => {
        // A few rows may be huge texts of another service. Their files can be read as they are.
        if (!/^Out of Memory/.test(String((error as Error).message))) throw error;
        counts.left += whole.length;
      });
      counts.written += done?.written ?? 0;
      counts.merged += done?.merged ?? 0;
      counts.rows += done?.rows ?? 0;
    }
  }
  return { ...counts, damaged };
}

/**
 * Publishes a version in which the files of each merge are one file. Rows and coverage stay the
 * same. Merges whose files another process has replaced meanwhile are left out; undefined if none
 * is left. Throws Fault('lake') for a full or failing disk.
 */
export async function mergeFiles(
  table: StoredTable,
  merges: readonly FileCopy[],
  run: string,
): Promise<Pick<MergeCounts, 'merged' | 'written' | 'rows'> | undefined> {
  let removed: readonly DataFile[] = [];
  const done = await table.publish(OPTIMIZE, async ({ files }) => {
    const copies = merges.filter((merge) => merge.files.every(({ path }) => files.has(path)));
    if (copies.length === 0) return undefined;
    removed = copies.flatMap((merge) => merge.files);
    return { ledger: ledger(run, {}), removed, counts: { rowsAdded: 0, rowsReplaced: 0 }, copies };
  });
  if (done === undefined) return undefined;
  const rows = removed.reduce((sum, file) => sum + (file.rows ?? 0), 0);
  return { merged: removed.length, written: done.files.length, rows };
}

/**
 * Deletes the files that plans name, unless a table has them again. Their names stay in the log.
 * Throws Fault('lake') for a failing disk.
 */
export async function executeDeletes(
  plans: readonly TablePlan[],
  { disk, effects }: { readonly disk: Disk; readonly effects: Effects },
): Promise<DeletedCounts> {
  let [files, bytes] = [0, 0];
  for (const { stored, expired, orphans } of plans) {
    const snapshot = await stored.snapshot();
    for (const file of [...expired, ...orphans].filter(({ path }) => !snapshot.files.has(path))) {
      const path = join(stored.folder, file.path);
      try {
        await disk.remove(path);
      } catch (error) {
        throw diskFault(error, path);
      }
      effects.reached('file deleted');
      files += 1;
      bytes += file.bytes;
    }
  }
  return { files, bytes };
}

function batchesOf(merges: readonly FileCopy[]): FileCopy[][] {
  const batches: FileCopy[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  for (const merge of merges) {
    const mergeRows = merge.files.reduce((sum, file) => sum + (file.rows ?? 0), 0);
    if (rows + mergeRows > COMMIT_ROWS) {
      batches.push([]);
      rows = 0;
    }
    batches.at(-1)?.push(merge);
    rows += mergeRows;
  }
  return batches;
}
