import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import type { FileCopy } from '../../land/delta/prepared-commit.ts';
import { damagedFiles } from '../../land/storage/damage.ts';
import type { Disk } from '../../land/storage/disk.ts';
import { diskFault } from '../../land/storage/disk-fault.ts';
import { mergeFiles } from './merge-files.ts';
import type { DeletedFile, TablePlan } from './table-plan.ts';
import { type MaintainedTable, tableNamed } from './tables.ts';

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

export const NO_MERGES: MergeCounts = { merged: 0, written: 0, rows: 0, damaged: [], left: 0 };
export const NO_DELETES: DeletedCounts = { files: 0, bytes: 0 };

/** Rows that one commit moves, so that losing a race costs little. */
const COMMIT_ROWS = 250_000;

/** Executes the merges of plans, until `isOver`. Throws Fault('lake') for a failing disk. */
export async function executeMerges(
  plans: readonly TablePlan[],
  tables: readonly MaintainedTable[],
  { run, isOver }: { readonly run: string; readonly isOver: () => boolean },
): Promise<MergeCounts> {
  const counts = { merged: 0, written: 0, rows: 0, left: 0 };
  const damaged: { path: string; what: string }[] = [];
  for (const { table, merges } of plans) {
    const { stored } = tableNamed(tables, table);
    for (const batch of batchesOf(merges)) {
      if (isOver()) {
        counts.left += batch.length;
        continue;
      }
      const whole: FileCopy[] = [];
      for (const merge of batch) {
        // A copy of its rows would get a checksum of its own, and hide the damage for good.
        const [found] = await damagedFiles(stored.folder, merge.files, 'bytes');
        if (found === undefined) whole.push(merge);
        else damaged.push({ path: found.path, what: found.what });
      }
      const done = await mergeFiles(stored, whole, run).catch((error: unknown) => {
        // A few rows may be huge texts of another service. Their files can be read as they are.
        if (!/^Out of Memory/.test(String((error as Error).message))) throw error;
        counts.left += whole.length;
      });
      if (done === undefined) continue;
      counts.written += done.files;
      counts.merged += done.filesRemoved;
      counts.rows += done.rowsMoved;
    }
  }
  return { ...counts, damaged };
}

/**
 * Deletes the files that plans name, unless a table has them again. Their names stay in the log.
 * Throws Fault('lake') for a failing disk.
 */
export async function executeDeletes(
  plans: readonly TablePlan[],
  tables: readonly MaintainedTable[],
  { disk, effects }: { readonly disk: Disk; readonly effects: Effects },
): Promise<DeletedCounts> {
  let [files, bytes] = [0, 0];
  for (const { table, expired, orphans } of plans) {
    const gone: DeletedFile[] = [...expired, ...orphans];
    if (gone.length === 0) continue;
    const { stored } = tableNamed(tables, table);
    const snapshot = await stored.snapshot();
    for (const file of gone.filter(({ path }) => !snapshot.files.has(path))) {
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
    const own = merge.files.reduce((sum, file) => sum + (file.rows ?? 0), 0);
    if (rows + own > COMMIT_ROWS) {
      batches.push([]);
      rows = 0;
    }
    batches.at(-1)?.push(merge);
    rows += own;
  }
  return batches;
}
