import type { CoverageEntry } from '../coverage/coverage.ts';
import { curate } from '../curate/curate.ts';
import { type CheckResult, runChecks } from '../load/checks/run-checks.ts';
import { type Published, publishWarehouse } from '../load/warehouse.ts';
import type { Job } from './run.ts';
import { showTidied, type Upkeep } from './upkeep.ts';

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
  const contradicted: CoverageEntry[] = [];
  if (job.isShown === false) {
    const onContradicted = (entries: readonly CoverageEntry[]) => contradicted.push(...entries);
    await curate({ ...job, isCompared: true, onContradicted });
    await job.lake.indexCoverage();
    return { checks: [], upkeep: undefined, contradicted };
  }
  const show = async (): Promise<string> => {
    const published = await showLake(job);
    contradicted.push(...published.contradicted);
    return published.lakeDigest;
  };
  const checked = async (shown: string): Promise<readonly CheckResult[]> =>
    job.session === undefined ? runChecks({ ...job, shown }) : [];
  if (!hasCommits || job.softStop.aborted || job.session?.isUpkeepDue === false) {
    return { checks: await checked(await show()), upkeep: undefined, contradicted };
  }
  const { shown, upkeep } = await showTidied(job, show);
  return { checks: await checked(shown), upkeep, contradicted };
}

/** Compares the lists, and updates the coverage table, the curated tables and the warehouse. */
export async function showLake({ lake, effects, disk, watch }: Job): Promise<Published> {
  watch.loading();
  const published = await publishWarehouse({ lake, effects, disk, ifMoved: true });
  effects.reached('warehouse published');
  return published;
}
