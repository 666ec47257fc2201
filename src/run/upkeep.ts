import type { CoverageEntry } from '../coverage/coverage.ts';
import { Fault } from '../fault.ts';
import { type CheckResult, runChecks } from '../load/checks/run-checks.ts';
import { type Published, publishWarehouse } from '../load/warehouse.ts';
import { shortenLogs } from './maintain/checkpoints.ts';
import type { DeletedCounts, MergeCounts } from './maintain/execute.ts';
import { deleteOldFiles, mergeSmallFiles } from './maintain/maintain.ts';
import type { Job } from './run-job.ts';

/** The maintenance that a run does at its end. */
export interface Upkeep {
  readonly merges: MergeCounts;
  readonly deletes: DeletedCounts;
}

type UpkeepJob = Pick<Job, 'lake' | 'disk' | 'effects'> & {
  readonly pipeline: Pick<Job['pipeline'], 'maintenance'>;
};

/**
 * Merges small files, shows the lake, deletes old files, and shortens the logs of tables in a
 * store: the warehouse names the merged files, and no deleted one. `seconds: 0` in the pipeline
 * turns this off. A lake that cannot be maintained is no reason for a run to fail: the fault is
 * logged. Returns undefined without maintenance.
 */
export async function showTidied(
  { pipeline: { maintenance }, ...job }: UpkeepJob,
  show: () => Promise<undefined>,
): Promise<Upkeep | undefined> {
  const { seconds, rules } = maintenance;
  if (seconds === 0) return show();
  const merges = await orLogged(job, () => mergeSmallFiles({ ...job, rules }, seconds));
  await show();
  const deletes = await orLogged(job, () => deleteOldFiles({ ...job, rules }));
  await orLogged(job, () => shortenLogs(job.lake));
  return merges && deletes && { merges, deletes };
}

async function orLogged<T>(
  { effects, lake }: Pick<UpkeepJob, 'effects' | 'lake'>,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const reason = error.paragraph({ root: lake.layout.root });
    effects.log('warn', `The files of the lake were not maintained: ${reason}`);
    return undefined;
  }
}

interface Finished {
  readonly checks: readonly CheckResult[];
  /** Undefined without maintenance. */
  readonly upkeep: Upkeep | undefined;
  /** Coverage that is inconsistent from now on, because lists contradict each other. */
  readonly contradicted: readonly CoverageEntry[];
}

/**
 * Publishes and checks the warehouse after everything has landed. A run with new rows also
 * maintains the files of the lake, unless it was interrupted.
 */
export async function finish(job: Job, hasCommits: boolean): Promise<Finished> {
  if (job.isPart === true) return { checks: [], upkeep: undefined, contradicted: [] };
  if (hasCommits) job.effects.collect?.();
  const { softStop, session } = job;
  const contradicted: CoverageEntry[] = [];
  const show = async (): Promise<undefined> => {
    contradicted.push(...(await showLake(job, session === undefined)).contradicted);
  };
  const isDue = hasCommits && !softStop.aborted && session?.isUpkeepDue !== false;
  const upkeep = isDue ? await showTidied(job, show) : await show();
  const checks = session === undefined ? await runChecks({ ...job, isKept: true }) : [];
  return { checks, upkeep, contradicted };
}

/** Updates the coverage table and the warehouse. */
export async function showLake(job: Job, areChecksNext = false): Promise<Published> {
  const { lake, effects, disk, watches = [] } = job;
  for (const watch of watches) watch.loading?.();
  const engine = job.engine?.(lake);
  const settings = { lake, effects, disk, ifMoved: true, areChecksNext, engine };
  const published = await publishWarehouse(settings);
  effects.reached('warehouse published');
  return published;
}
