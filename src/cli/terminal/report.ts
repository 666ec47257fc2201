import { SHORT_STATUSES } from '../../coverage/coverage.ts';
import type { Advice } from '../../fault.ts';
import type { CaptureCounts } from '../../run/capture/capture.ts';
import type { FinishedRun } from '../../run/shell/run-document.ts';
import { counted, many } from './console.ts';
import { maintainedLines } from './maintenance-text.ts';
import { changedLines, nothingText } from './plan-text.ts';
import { reconcileLines } from './reconcile-text.ts';

/** The summary at the end of a run. */
export function reportText(finished: FinishedRun): Advice[] {
  const { ran, connection } = finished;
  const counts = ran.committer.counts();
  const { commits, slices, rows, rowsReplaced, quarantined, pending } = counts;
  const { statuses, contradicted, drift, absent } = counts;
  const { requests } = connection.statistics();
  const lines: Advice[] = [];
  if (ran.plan.slices.length === 0) {
    lines.push(nothingText(ran.plan));
  } else {
    const replaced = rowsReplaced === 0 ? '' : `, ${counted(rowsReplaced)} older ones replaced`;
    lines.push(
      `${many(slices, 'slice')} walked with ${many(requests, 'request')}, ` +
        `${many(rows, 'row')} landed in ${many(commits, 'commit')}${replaced}.`,
    );
  }
  lines.push(...ran.captured.map(captureText));
  for (const status of [...SHORT_STATUSES, 'failed'] as const) {
    const count = statuses.get(status) ?? 0;
    if (count === 0) continue;
    lines.push({ text: `${many(count, 'slice')} ended ${status}.`, command: 'windrow status' });
  }
  if (contradicted > 0) {
    const text = `${many(contradicted, 'interval')} inconsistent because two lists differ.`;
    lines.push({ text, command: 'windrow status' });
  }
  if (ran.after !== undefined) {
    for (const line of changedLines(ran.after)) lines.push(`${line} Run again to fetch them.`);
  }
  for (const failure of ran.execution.failed.slice(0, 10)) {
    lines.push(`Failed: ${failure.endpoint} ${failure.from}-${failure.to}: ${failure.reason}`);
  }
  const more = ran.execution.failed.length - 10;
  if (more > 0) lines.push(`... and ${many(more, 'more failed slice')} (see the run's report).`);
  for (const [path, cap] of connection.facts.caps()) {
    lines.push(`${path} lists at most ${many(cap, 'record')} per query, so it was read in parts.`);
  }
  if (quarantined > 0) {
    const text = `${many(quarantined, 'record')} in quarantine.`;
    lines.push({ text, command: 'windrow quarantine list' });
  }
  if (pending > 0) {
    lines.push(
      `${many(pending, 'record')} pending, in no block yet: see the view pending_transactions.`,
    );
  }
  for (const [field, count] of drift) {
    lines.push(`Unknown field ${field} in ${many(count, 'record')}: kept in the column extra.`);
  }
  for (const [field, count] of absent) {
    lines.push(`Field ${field} is missing in ${many(count, 'record')}: the column is NULL there.`);
  }
  for (const { check, severity, findings } of ran.checks) {
    if (severity === 'error' && findings.length > 0) {
      const text = `Check ${check} has ${many(findings.length, 'finding')}.`;
      lines.push({ text, command: 'windrow check' });
    }
  }
  if (finished.reconciled !== undefined) lines.push(...reconcileLines(finished.reconciled));
  if (ran.upkeep !== undefined) {
    lines.push(...maintainedLines(ran.upkeep.merges, ran.upkeep.deletes));
  }
  if (ran.execution.left > 0) {
    const left = `${many(ran.execution.left, 'slice')} left`;
    const reason =
      ran.limit === undefined ? 'Interrupted' : `Partial, because ${ran.limit.message},`;
    const isStuck = ran.limit !== undefined && slices === 0;
    const next = isStuck
      ? 'none was finished. If this happens again, raise the limit or lower windowBlocks'
      : 'run again to continue';
    lines.push(`${reason} with ${left}: ${next}.`);
  }
  return lines;
}

/** `stream: 271 readings, 634 rows, 0 gaps.` */
export function captureText({ name, readings, rows, gaps }: CaptureCounts): string {
  return `${name}: ${many(readings, 'reading')}, ${many(rows, 'row')}, ${many(gaps, 'gap')}.`;
}
