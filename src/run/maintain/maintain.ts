import type { Effects } from '../../effects.ts';
import type { Lake } from '../../land/lake.ts';
import type { Disk } from '../../land/storage/disk.ts';
import type { MaintenanceRules } from '../../pipeline/maintenance.ts';
import { type CheckpointPlan, planCheckpoints } from './checkpoints.ts';
import {
  type DeletedCounts,
  executeDeletes,
  executeMerges,
  type MergeCounts,
  NO_DELETES,
  NO_MERGES,
} from './execute.ts';
import { hasWork, planTable, type TablePlan } from './table-plan.ts';
import { type MaintainedTable, maintainedTables, mergeFacts, tableFacts } from './tables.ts';

export interface Maintenance {
  readonly lake: Lake;
  readonly disk: Disk;
  readonly effects: Effects;
  readonly rules: MaintenanceRules;
}

/** The tables of a lake that need work, and the work. */
export interface MaintenancePlan {
  readonly tables: readonly MaintainedTable[];
  readonly plans: readonly TablePlan[];
}

/** Plans all work on the files of a lake, and changes nothing. */
export async function planMaintenance({
  lake,
  effects,
  rules,
}: Pick<Maintenance, 'lake' | 'effects' | 'rules'>): Promise<MaintenancePlan> {
  const tables = await maintainedTables(lake);
  const plans: TablePlan[] = [];
  for (const table of tables) {
    plans.push(planTable(await tableFacts(table), rules, effects.now()));
  }
  return { tables, plans: plans.filter(hasWork) };
}

/** All that `windrow maintain` does; runs leave the checkpoints alone. */
export interface FullMaintenancePlan extends MaintenancePlan {
  /** Tables with damaged checkpoints. */
  readonly checkpoints: readonly CheckpointPlan[];
}

/** Like `planMaintenance`; also reads the newest checkpoint of every table. */
export async function planAllMaintenance(of: Maintenance): Promise<FullMaintenancePlan> {
  const plan = await planMaintenance(of);
  return { ...plan, checkpoints: await planCheckpoints(plan.tables, of.disk) };
}

/** Merges small files of the raw tables until the time is over. */
export async function mergeSmallFiles(
  { lake, effects, rules }: Omit<Maintenance, 'disk'>,
  seconds: number,
): Promise<MergeCounts> {
  const endMs = effects.now() + seconds * 1000;
  const tables = await maintainedTables(lake, 'raw');
  const plans: TablePlan[] = [];
  for (const table of tables) {
    plans.push(planTable(await mergeFacts(table), rules, effects.now()));
  }
  if (!plans.some(hasWork)) return NO_MERGES;
  const isOver = (): boolean => effects.now() > endMs;
  return executeMerges(plans, tables, { run: lake.run, isOver });
}

/** Deletes files that left their tables before the retention, and orphans that are as old. */
export async function deleteOldFiles(of: Maintenance): Promise<DeletedCounts> {
  const { tables, plans } = await planMaintenance(of);
  const isAny = plans.some(({ expired, orphans }) => expired.length + orphans.length > 0);
  return isAny ? executeDeletes(plans, tables, of) : NO_DELETES;
}
