import { basename, join } from 'node:path';
import { LOG } from '../../land/delta/log-files.ts';
import type { StoredTable } from '../../land/delta/stored-table.ts';
import type { Lake } from '../../land/lake.ts';
import { isMounted } from '../../land/places/mounts.ts';
import type { Disk } from '../../land/storage/disk.ts';
import { diskFault } from '../../land/storage/disk-fault.ts';
import { checkpointStates, verifyCheckpoints } from '../../land/verify/checkpoint-damage.ts';
import { setAside } from '../../land/verify/set-aside.ts';
import { type MaintainedTable, maintainedTables } from './tables.ts';

/** The damaged checkpoints of one table. */
export interface CheckpointPlan {
  /** Path of its folder below the data root. */
  readonly table: string;
  readonly stored: StoredTable;
  readonly damaged: readonly {
    readonly path: string;
    /** The rest of a sentence that begins with "the checkpoint". */
    readonly what: string;
  }[];
  /**
   * Whether a new one takes their place. Not where one is newer than the log: the log may have lost
   * its newest entries then, and the checkpoint shows it.
   */
  readonly isRenewed: boolean;
}

/** Compares the newest checkpoint of every table with its sha256, and plans those to be written. */
export async function planCheckpoints(
  tables: readonly MaintainedTable[],
  disk: Disk,
): Promise<CheckpointPlan[]> {
  const plans: CheckpointPlan[] = [];
  for (const { name: table, stored } of tables) {
    const log = join(stored.folder, LOG);
    // Listed before the log is read, so checkpoints of later commits are not newer than it.
    const files = await disk.list(log);
    const { version } = await stored.snapshot();
    const states = await checkpointStates(stored.folder, files);
    const damages = (await verifyCheckpoints(log, files, version, states)).damagedCheckpoints;
    if (damages.length === 0) continue;
    const damaged = damages.map(({ name, what }) => ({ path: join(log, name), what }));
    plans.push({ table, stored, damaged, isRenewed: !damages.some(({ isNewer }) => isNewer) });
  }
  return plans;
}

/**
 * Moves damaged checkpoints to `damaged`, and writes a checkpoint of the newest version from the
 * log. Returns the number of new ones. Throws Fault('lake') for a full or failing disk.
 */
export async function renewCheckpoints(
  plans: readonly CheckpointPlan[],
  { lake, disk }: { readonly lake: Lake; readonly disk: Disk },
): Promise<number> {
  const renewed = plans.filter(({ isRenewed }) => isRenewed);
  for (const { stored, damaged } of renewed) {
    const present = new Set(await disk.list(join(stored.folder, LOG)));
    for (const { path } of damaged.filter((checkpoint) => present.has(basename(checkpoint.path)))) {
      try {
        await setAside({ layout: lake.layout, run: lake.run, disk }, path);
      } catch (error) {
        throw diskFault(error, path);
      }
    }
    await stored.renewCheckpoint();
  }
  return renewed.length;
}

/** Writes checkpoints of tables in a store, so that opening one takes three requests. */
export async function shortenLogs(lake: Lake): Promise<void> {
  if (!isMounted(lake.layout.root)) return;
  for (const { stored } of await maintainedTables(lake)) {
    await stored.snapshot();
    await stored.shortenLog();
  }
}
