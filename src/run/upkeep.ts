import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import type { Lake } from '../land/lake.ts';
import type { Disk } from '../land/storage/disk.ts';
import type { DeletedCounts, MergeCounts } from '../maintain/execute.ts';
import { deleteOldFiles, mergeSmallFiles } from '../maintain/maintain.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';

/** The maintenance that a run does at its end. */
export interface Upkeep {
  readonly merges: MergeCounts;
  readonly deletes: DeletedCounts;
}

interface ShownLake {
  /** The result of the function that shows the lake. */
  readonly shown: string;
  /** Undefined without maintenance. */
  readonly upkeep: Upkeep | undefined;
}

export interface UpkeepJob {
  readonly pipeline: Pick<Pipeline, 'maintenance'>;
  readonly lake: Lake;
  readonly disk: Disk;
  readonly effects: Effects;
}

/**
 * Merges small files, shows the lake, and deletes old files: the warehouse names the merged files,
 * and no deleted one. `seconds: 0` in the pipeline turns this off. A lake that cannot be maintained
 * is no reason for a run to fail: the fault is logged.
 */
export async function showTidied(
  { pipeline: { maintenance }, ...of }: UpkeepJob,
  show: () => Promise<string>,
): Promise<ShownLake> {
  const { seconds, rules } = maintenance;
  if (seconds === 0) {
    return { shown: await show(), upkeep: undefined };
  }
  const merges = await orLogged(of, () => mergeSmallFiles({ ...of, rules }, seconds));
  const shown = await show();
  const deletes = await orLogged(of, () => deleteOldFiles({ ...of, rules }));
  return { shown, upkeep: merges && deletes && { merges, deletes } };
}

async function orLogged<T>(
  { effects }: Pick<UpkeepJob, 'effects'>,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    effects.log('warn', `The files of the lake were not maintained: ${error.paragraph()}`);
    return undefined;
  }
}
