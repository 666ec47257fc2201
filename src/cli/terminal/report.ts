import type { DailyQuota } from '../../allowance/daily-quota.ts';
import { SHORT_STATUSES } from '../../coverage/coverage.ts';
import type { Connection } from '../../fetch/connect.ts';
import { type Pipeline, pipelineDigest } from '../../pipeline/pipeline.ts';
import type { RateSample } from '../../run/rate-samples.ts';
import type { RunResult } from '../../run/run.ts';
import { counted, many, type NoteFields } from './console.ts';
import { maintainedLines } from './maintenance-text.ts';
import { changedLines, nothingText, planDocument } from './plan-text.ts';

/** Exit code of the process; part of the interface, see README. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130;

/**
 * The lowest-numbered cause wins: interrupted, partial, checks failed. A limit makes a run partial.
 */
export function exitCodeOf(ran: RunResult): ExitCode {
  if (ran.execution.left > 0) return ran.limit === undefined ? 130 : 3;
  const { quarantined } = ran.committer.counts();
  const { short, failed } = ran.execution;
  const hasChanged = (ran.after?.changed.size ?? 0) > 0;
  const isBlind = ran.captured.some(({ readings, gaps }) => readings === 0 && gaps > 0);
  if (short > 0 || failed.length > 0 || quarantined > 0 || hasChanged || isBlind) return 3;
  const hasErrors = ran.checks.some(
    (check) => check.severity === 'error' && check.findings.length > 0,
  );
  return hasErrors ? 4 : 0;
}

export interface ReportOf {
  readonly ran: RunResult;
  readonly pipeline: Pipeline;
  readonly connection: Connection;
  readonly run: string;
  readonly startedMs: number;
  readonly endedMs: number;
  /** The daily quota of the key. */
  readonly quota: Pick<DailyQuota, 'name' | 'perDay' | 'used'> | undefined;
  /** Requests over time. */
  readonly rate: readonly RateSample[];
}

/** Findings of one check in the report of a run. */
const EXAMPLES = 5;

/** Planned against actual, for the run's report and for `run --json`. */
export function reportDocument(
  of: ReportOf,
): Readonly<Record<string, unknown>> & { readonly exitCode: ExitCode } {
  const { ran, pipeline, connection } = of;
  const counts = ran.committer.counts();
  return {
    run: of.run,
    pipeline: pipeline.name,
    pipelineDigest: pipelineDigest(pipeline),
    startedAt: new Date(of.startedMs).toISOString(),
    endedAt: new Date(of.endedMs).toISOString(),
    exitCode: exitCodeOf(ran),
    nothingToDo: ran.plan.slices.length === 0,
    planned: planDocument(ran),
    actual: { ...connection.statistics(), ...counts },
    pace: connection.pace(),
    rate: of.rate,
    failed: ran.execution.failed,
    left: ran.execution.left,
    limit: ran.limit ?? null,
    quota: quotaDocument(of.quota),
    reorganised: Object.fromEntries(ran.after?.changed ?? []),
    captured: ran.captured,
    maintenance: ran.upkeep ?? null,
    checks: ran.checks.map(({ check, severity, findings }) => ({
      check,
      severity,
      findings: findings.length,
      examples: findings.slice(0, EXAMPLES),
    })),
  };
}

/** Figures of a run for its log. */
export function endFields(of: ReportOf): NoteFields {
  const { slices, commits, rows, quarantined } = of.ran.committer.counts();
  const { requests, rejections, bytes } = of.connection.statistics();
  const seconds = (of.endedMs - of.startedMs) / 1000;
  const exitCode = exitCodeOf(of.ran);
  return { exitCode, seconds, requests, rejections, bytes, slices, commits, rows, quarantined };
}

/** The quota of a key in the report of a run; null if it has none. */
export function quotaDocument(quota: ReportOf['quota']) {
  if (quota === undefined) return null;
  return { key: quota.name, perDay: quota.perDay, usedToday: quota.used() };
}

/** The summary at the end of a run. */
export function reportText(of: ReportOf): string[] {
  const { ran, connection } = of;
  const counts = ran.committer.counts();
  const { commits, slices, rows, rowsReplaced, quarantined, pending } = counts;
  const { statuses, contradicted, drift, absent } = counts;
  const { requests } = connection.statistics();
  const lines: string[] = [];
  if (ran.plan.slices.length === 0) {
    lines.push(nothingText(ran.plan));
  } else {
    const replaced = rowsReplaced === 0 ? '' : `, ${counted(rowsReplaced)} older ones replaced`;
    lines.push(
      `${many(slices, 'slice')} walked with ${many(requests, 'request')}, ` +
        `${many(rows, 'row')} landed in ${many(commits, 'commit')}${replaced}.`,
    );
  }
  for (const { name, readings, rows: added, gaps } of ran.captured) {
    const gapText = many(gaps, 'gap');
    lines.push(`${name}: ${many(readings, 'reading')}, ${many(added, 'row')}, ${gapText}.`);
  }
  for (const status of [...SHORT_STATUSES, 'failed'] as const) {
    const count = statuses.get(status) ?? 0;
    if (count > 0) lines.push(`${many(count, 'slice')} ended ${status}: see windrow status.`);
  }
  if (contradicted > 0) {
    const intervals = many(contradicted, 'interval');
    lines.push(`${intervals} inconsistent because two lists differ: see windrow status.`);
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
  if (quarantined > 0)
    lines.push(`${many(quarantined, 'record')} in quarantine: see windrow quarantine list.`);
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
      lines.push(`Check ${check} has ${many(findings.length, 'finding')}: see windrow check.`);
    }
  }
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
