import { withLake } from '../../land/lake.ts';
import { locked } from '../../land/lock/lock.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { leftovers, removeLeftovers, removeStaging } from '../../land/storage/staging.ts';
import { publishWarehouse } from '../../load/warehouse.ts';
import type { MaintenanceRules } from '../../pipeline/maintenance.ts';
import { runName } from '../job/run-name.ts';
import { type CheckpointPlan, planCheckpoints, renewCheckpoints } from '../maintain/checkpoints.ts';
import { type DeletedCounts, executeMerges, type MergeCounts } from '../maintain/execute.ts';
import { deleteOldFiles, type Maintenance, planMaintenance } from '../maintain/maintain.ts';
import type { TablePlan } from '../maintain/table-plan.ts';
import { maintainedTables } from '../maintain/tables.ts';
import { runHolding } from './lake-there.ts';
import { chainsToShow } from './rebuild-warehouse.ts';
import type { Surroundings } from './surroundings.ts';

export interface MaintainOptions {
  readonly root: string;
  /** Needed if the lake has several chains. */
  readonly chain?: string | undefined;
  readonly rules: MaintenanceRules;
  /** Whether the lake stays as it is. */
  readonly isPlanOnly?: boolean;
  /** Called before anything changes. */
  planned?(plan: MaintenancePlan): void;
  /** Called before old files are deleted. */
  merged?(merges: MergeCounts): void;
}

/** All that `windrow maintain` does. */
export interface MaintenancePlan {
  readonly plans: readonly TablePlan[];
  /** Tables with damaged checkpoints. */
  readonly checkpoints: readonly CheckpointPlan[];
  /** Unfinished files that killed runs have left. */
  readonly leftovers: readonly string[];
}

export interface MaintenanceResult {
  readonly plan: MaintenancePlan;
  /** Undefined for a plan. */
  readonly done: MaintenanceCounts | undefined;
  /** 1 where damage stays. */
  readonly exitCode: 0 | 1;
}

interface MaintenanceCounts {
  /** Number of new checkpoints. */
  readonly checkpoints: number;
  readonly merges: MergeCounts;
  readonly deletes: DeletedCounts;
}

/**
 * Merges small files, deletes replaced and abandoned ones, and replaces damaged checkpoints, under
 * the lock of the data root. Throws Fault('locked') while a run has it.
 */
export async function maintainLake(
  { effects }: Surroundings,
  options: MaintainOptions,
): Promise<MaintenanceResult> {
  const { root, chain, rules, isPlanOnly = false } = options;
  const chains = await chainsToShow(root, chain, effects);
  return withLake({ root, chains, run: runName(effects), effects }, async (lake) => {
    const job = { lake, disk: localDisk, effects, rules };
    if (!isPlanOnly) {
      return locked(lake.layout.lock, effects, (disk) => maintain({ ...job, disk }, options));
    }
    // A run under way has its own unfinished files there.
    const plan = await planAll(job, (await runHolding(root, effects)) === undefined);
    options.planned?.(plan);
    return { plan, done: undefined, exitCode: 0 };
  });
}

async function planAll(job: Maintenance, isFree: boolean): Promise<MaintenancePlan> {
  const { lake, disk, effects } = job;
  const plans = await planMaintenance(job);
  const checkpoints = await planCheckpoints(await maintainedTables(lake), disk);
  const unfinished = isFree ? await leftovers(lake.layout, lake.run, disk, effects.now()) : [];
  return { plans, checkpoints, leftovers: unfinished };
}

async function maintain(job: Maintenance, options: MaintainOptions): Promise<MaintenanceResult> {
  const { lake, disk, effects } = job;
  const plan = await planAll(job, true);
  options.planned?.(plan);
  const checkpoints = await renewCheckpoints(plan.checkpoints, job);
  const merges = await executeMerges(plan.plans, { run: lake.run, isOver: () => false });
  // Before publishing, which fails where a file is missing.
  options.merged?.(merges);
  let deletes: DeletedCounts = { files: 0, bytes: 0 };
  if (plan.plans.length > 0) {
    await publishWarehouse({ lake, effects, disk, ifMoved: true });
    // Planned again: both may have replaced files of the coverage tables and of curated ones.
    deletes = await deleteOldFiles(job);
  }
  if (plan.leftovers.length > 0) {
    await removeLeftovers(lake.layout, lake.run, disk, effects.now());
  }
  await removeStaging(lake.layout, lake.run, disk);
  const isDamaged = plan.checkpoints.some(({ isRenewed }) => !isRenewed);
  const exitCode = merges.damaged.length > 0 || isDamaged ? 1 : 0;
  return { plan, done: { checkpoints, merges, deletes }, exitCode };
}
