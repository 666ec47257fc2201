import type { Effects } from '../../effects.ts';
import { type Lake, withLake } from '../../land/lake.ts';
import { locked } from '../../land/lock/lock.ts';
import { type Disk, localDisk } from '../../land/storage/disk.ts';
import { leftovers, removeLeftovers, removeStaging } from '../../land/storage/staging.ts';
import { publishWarehouse } from '../../load/warehouse.ts';
import type { MaintenanceRules } from '../../pipeline/maintenance.ts';
import { runName } from '../job/run-name.ts';
import { renewCheckpoints } from '../maintain/checkpoints.ts';
import {
  type DeletedCounts,
  executeMerges,
  type MergeCounts,
  NO_DELETES,
} from '../maintain/execute.ts';
import {
  deleteOldFiles,
  type FullMaintenancePlan,
  planAllMaintenance,
} from '../maintain/maintain.ts';
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
  /** Called before anything changes, with unfinished files that killed runs have left. */
  planned?(plan: FullMaintenancePlan, leftovers: readonly string[]): void;
  /** Called before old files are deleted. */
  merged?(merges: MergeCounts): void;
}

export interface MaintenanceResult {
  readonly plan: FullMaintenancePlan;
  readonly leftovers: readonly string[];
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

interface MaintainJob {
  readonly lake: Lake;
  readonly disk: Disk;
  readonly effects: Effects;
  readonly rules: MaintenanceRules;
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
  return withLake({ root, chains, run: runName(effects), effects }, (lake) => {
    const job = { lake, disk: localDisk, effects, rules };
    return isPlanOnly ? planOnly(job, options) : maintain(job, options);
  });
}

async function planOnly(
  job: MaintainJob,
  { root, planned }: MaintainOptions,
): Promise<MaintenanceResult> {
  const plan = await planAllMaintenance(job);
  // A run under way has its own unfinished files there.
  const isFree = (await runHolding(root, job.effects)) === undefined;
  const unfinished = isFree ? await leftoversOf(job) : [];
  planned?.(plan, unfinished);
  return { plan, leftovers: unfinished, done: undefined, exitCode: 0 };
}

async function maintain(
  unlocked: MaintainJob,
  options: MaintainOptions,
): Promise<MaintenanceResult> {
  const { lake, effects } = unlocked;
  return locked(lake.layout.lock, effects, async (disk) => {
    const job = { ...unlocked, disk };
    const plan = await planAllMaintenance(job);
    const unfinished = await leftoversOf(job);
    options.planned?.(plan, unfinished);
    const done = await execute(job, plan, options);
    if (unfinished.length > 0) await removeLeftovers(lake.layout, lake.run, disk, effects.now());
    await removeStaging(lake.layout, lake.run, disk);
    const isDamaged = plan.checkpoints.some(({ isRenewed }) => !isRenewed);
    const exitCode = done.merges.damaged.length > 0 || isDamaged ? 1 : 0;
    return { plan, leftovers: unfinished, done, exitCode };
  });
}

/** Merges, publishes a warehouse that names the merged files, and deletes. */
async function execute(
  job: MaintainJob,
  { plans, checkpoints: damaged, tables }: FullMaintenancePlan,
  { merged }: MaintainOptions,
): Promise<MaintenanceCounts> {
  const { lake, disk, effects } = job;
  const checkpoints = await renewCheckpoints(damaged, tables, job);
  const merges = await executeMerges(plans, tables, { run: lake.run, isOver: () => false });
  // Before publishing, which fails where a file is missing.
  merged?.(merges);
  if (plans.length === 0) return { checkpoints, merges, deletes: NO_DELETES };
  await lake.indexCoverage();
  await publishWarehouse({ lake, effects, disk, ifMoved: true });
  // Planned again: both may have replaced files of the coverage tables and of curated ones.
  return { checkpoints, merges, deletes: await deleteOldFiles(job) };
}

function leftoversOf({ lake, disk, effects }: MaintainJob): Promise<string[]> {
  return leftovers(lake.layout, lake.run, disk, effects.now());
}
