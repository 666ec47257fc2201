import type { Effects } from '../../effects.ts';
import type { Lake } from '../../land/lake.ts';
import type { Disk } from '../../land/storage/disk.ts';
import type { MaintenanceRules } from '../../pipeline/maintenance.ts';
import { type DeletedCounts, executeDeletes, executeMerges, type MergeCounts } from './execute.ts';
import { type MergePlan, mergesOf, planTable, type TablePlan } from './table-plan.ts';
import { maintainedTables } from './tables.ts';

export interface Maintenance {
  readonly lake: Lake;
  readonly disk: Disk;
  readonly effects: Effects;
  readonly rules: MaintenanceRules;
}

/** Plans for the tables of a lake whose files need work. Changes nothing. */
export async function planMaintenance({
  lake,
  effects,
  rules,
}: Omit<Maintenance, 'disk'>): Promise<TablePlan[]> {
  const plans: TablePlan[] = [];
  for (const table of await maintainedTables(lake)) {
    const plan = await planTable(table, rules, effects.now());
    if (plan.merges.length + plan.expired.length + plan.orphans.length > 0) plans.push(plan);
  }
  return plans;
}

/** Merges small files of the raw tables until the time is over. */
export async function mergeSmallFiles(
  { lake, effects, rules }: Omit<Maintenance, 'disk'>,
  seconds: number,
): Promise<MergeCounts> {
  const endMs = effects.now() + seconds * 1000;
  const plans: MergePlan[] = [];
  for (const table of await maintainedTables(lake, 'raw')) {
    plans.push(await mergesOf(table, rules.target));
  }
  return executeMerges(plans, { run: lake.run, isOver: () => effects.now() > endMs });
}

/** Deletes files that left their tables before the retention, and orphans that are as old. */
export async function deleteOldFiles(maintenance: Maintenance): Promise<DeletedCounts> {
  return executeDeletes(await planMaintenance(maintenance), maintenance);
}
