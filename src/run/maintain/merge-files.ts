import type { DataFile } from '../../land/delta/actions.ts';
import { ledger } from '../../land/delta/ledger.ts';
import type { FileCopy } from '../../land/delta/prepared-commit.ts';
import type { StoredTable } from '../../land/delta/stored-table.ts';

/** The operation of a commit that moves rows between files, in the words of the Delta protocol. */
const OPTIMIZE = 'OPTIMIZE';

export interface MergedFiles {
  /** Files that were written. */
  readonly files: number;
  readonly filesRemoved: number;
  readonly rowsMoved: number;
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
): Promise<MergedFiles | undefined> {
  let removed: readonly DataFile[] = [];
  const done = await table.publish(OPTIMIZE, async ({ files }) => {
    const left = merges.filter((merge) => merge.files.every(({ path }) => files.has(path)));
    if (left.length === 0) return undefined;
    removed = left.flatMap((merge) => merge.files);
    return {
      ledger: ledger(run, {}),
      removed,
      counts: { rowsAdded: 0, rowsReplaced: 0 },
      copies: left,
    };
  });
  if (done === undefined) return undefined;
  const rowsMoved = removed.reduce((sum, { rows = 0 }) => sum + rows, 0);
  return { files: done.files.length, filesRemoved: removed.length, rowsMoved };
}
