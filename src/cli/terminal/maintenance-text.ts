import type { Advice } from '../../fault.ts';
import { totalOf } from '../../land/delta/fold.ts';
import type { MaintenancePlan } from '../../run/lake/maintain-lake.ts';
import type { CheckpointPlan } from '../../run/maintain/checkpoints.ts';
import type { DeletedCounts, MergeCounts } from '../../run/maintain/execute.ts';
import type { DeletedFile, TablePlan } from '../../run/maintain/table-plan.ts';
import { counted, many } from './console.ts';

/**
 * One line for each table with work, one for each damaged checkpoint, and one for unfinished files
 * of killed runs.
 */
export function maintenancePlanLines({ plans, checkpoints, leftovers }: MaintenancePlan): Advice[] {
  const lines: Advice[] = plans.map((plan) => `${plan.table}: ${workOf(plan).join('; ')}.`);
  lines.push(...checkpoints.flatMap(checkpointLines));
  if (leftovers.length > 0) {
    lines.push(`staging: delete ${many(leftovers.length, 'unfinished file')} of killed runs.`);
  }
  return lines.length > 0 ? lines : ['Nothing to maintain.'];
}

function checkpointLines({ table, damaged, isRenewed }: CheckpointPlan): Advice[] {
  return damaged.map(({ path, what }) => {
    const finding = `${path}: the checkpoint ${what}`;
    return isRenewed
      ? `${table}: write a new checkpoint, because ${finding}.`
      : { text: `Not mended: ${finding}.`, command: 'windrow verify' };
  });
}

function workOf({ merges, expired, orphans }: TablePlan): string[] {
  const work: string[] = [];
  if (merges.length > 0) {
    const files = merges.flatMap((merge) => merge.files);
    const { rows, bytes } = totalOf(files);
    work.push(
      `merge ${many(files.length, 'file')} into ${counted(merges.length)} ` +
        `(${many(rows, 'row')}, ${sizeOf(bytes)})`,
    );
  }
  if (expired.length > 0) work.push(`delete ${listed(expired, 'replaced file')}`);
  if (orphans.length > 0) {
    work.push(`delete ${listed(orphans, 'file')} that no version of the table has`);
  }
  return work;
}

function listed(files: readonly DeletedFile[], noun: string): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${many(files.length, noun)} (${sizeOf(bytes)})`;
}

function sizeOf(bytes: number): string {
  return `${counted(bytes / 1024)} KiB`;
}

/** The damaged files that were not merged, a line each. */
export function notMergedLines({ damaged }: Pick<MergeCounts, 'damaged'>): Advice[] {
  return damaged.map(({ path, what }) => {
    return { text: `Not merged: ${path}: the file ${what}.`, command: 'windrow verify' };
  });
}

/** The work that was done, in one line; none where there was none. */
export function maintainedLines(
  merges: MergeCounts,
  deletes: DeletedCounts,
  checkpoints = 0,
): string[] {
  const work: string[] = [];
  if (checkpoints > 0) work.push(`${many(checkpoints, 'checkpoint')} written`);
  if (merges.merged > 0) {
    work.push(`${many(merges.merged, 'file')} merged into ${counted(merges.written)}`);
  }
  if (deletes.files > 0) {
    work.push(`${many(deletes.files, 'file')} (${sizeOf(deletes.bytes)}) deleted`);
  }
  if (merges.left > 0) work.push(`${many(merges.left, 'merge')} left for the next time`);
  return work.length === 0 ? [] : [`Maintenance: ${work.join(', ')}.`];
}

/** The plan as JSON: the files of every merge, all files to be deleted, and checkpoints. */
export function maintenancePlanDocument({
  plans,
  leftovers,
  ...plan
}: MaintenancePlan): Record<string, unknown> {
  const tables = plans.map(({ table, merges, expired, orphans }) => ({
    table,
    merges: merges.map(({ files, source = null }) => {
      const { rows, bytes } = totalOf(files);
      return { source, files: files.map(({ path }) => path), rows, bytes };
    }),
    expired,
    orphans,
  }));
  const checkpoints = plan.checkpoints.map(({ stored: _, ...checkpoint }) => checkpoint);
  return { tables, checkpoints, leftovers };
}
