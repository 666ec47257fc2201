import type { OpenJob } from '../job/open-job.ts';
import type { RateSample } from '../rate-samples.ts';
import type { RunResult } from '../run.ts';
import type { PricedPlan } from '../run-job.ts';
import type { Reconciliation } from './reconcile-run.ts';

/** Exit code of the process; part of the interface, see README. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130;

/**
 * The lowest-numbered cause wins: interrupted, partial, checks failed or a witness that differs. A
 * limit makes a run partial.
 */
export function exitCodeOf(ran: RunResult, reconciled?: Reconciliation): ExitCode {
  if (ran.execution.left > 0) return ran.limit === undefined ? 130 : 3;
  const { quarantined } = ran.committer.counts();
  const { short, failed } = ran.execution;
  const hasChanged = (ran.after?.changed.size ?? 0) > 0;
  const isBlind = ran.captured.some(({ readings, gaps }) => readings === 0 && gaps > 0);
  if (short > 0 || failed.length > 0 || quarantined > 0 || hasChanged || isBlind) return 3;
  const hasErrors = ran.checks.some(
    (check) => check.severity === 'error' && check.findings.length > 0,
  );
  return hasErrors || reconciled?.exitCode === 4 ? 4 : 0;
}

/** A run that has ended, with everything that its report needs. */
export interface FinishedRun extends Pick<OpenJob, 'pipeline' | 'connection' | 'run' | 'quota'> {
  readonly ran: RunResult;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Requests over time. */
  readonly rate: readonly RateSample[];
  /** Absent where none was due. */
  readonly reconciled?: Reconciliation | undefined;
}

/** Findings of one check in the report of a run. */
const EXAMPLES = 5;

/** The final report of a run, as `windrow runs` shows it. */
export type RunDocument = Readonly<Record<string, unknown>> & { readonly exitCode: ExitCode };

/** Planned against actual, for the run's report and for `run --json`. */
export function reportDocument(finished: FinishedRun): RunDocument {
  const { ran, pipeline, connection } = finished;
  const counts = ran.committer.counts();
  return {
    run: finished.run,
    pipeline: pipeline.name,
    startedAt: new Date(finished.startedMs).toISOString(),
    endedAt: new Date(finished.endedMs).toISOString(),
    exitCode: exitCodeOf(ran, finished.reconciled),
    nothingToDo: ran.plan.slices.length === 0,
    planned: planDocument(ran),
    actual: { ...connection.statistics(), ...counts },
    pace: connection.pace(),
    rate: finished.rate,
    failed: ran.execution.failed,
    left: ran.execution.left,
    limit: ran.limit ?? null,
    quota: quotaDocument(finished.quota),
    reorganised: Object.fromEntries(ran.after?.changed ?? []),
    captured: ran.captured,
    maintenance: ran.upkeep ?? null,
    reconciled: finished.reconciled?.verdicts ?? null,
    checks: ran.checks.map(({ check, severity, findings }) => ({
      check,
      severity,
      findings: findings.length,
      examples: findings.slice(0, EXAMPLES),
    })),
  };
}

/** Figures of a run for its log. */
export function endFields(finished: FinishedRun): Readonly<Record<string, number>> {
  const { slices, commits, rows, quarantined } = finished.ran.committer.counts();
  const { requests, rejections, bytes } = finished.connection.statistics();
  const seconds = (finished.endedMs - finished.startedMs) / 1000;
  const exitCode = exitCodeOf(finished.ran, finished.reconciled);
  return { exitCode, seconds, requests, rejections, bytes, slices, commits, rows, quarantined };
}

/** The quota of a key in the report of a run; null if it has none. */
export function quotaDocument(quota: FinishedRun['quota']) {
  if (quota === undefined) return null;
  return { key: quota.name, perDay: quota.perDay, usedToday: quota.used() };
}

/** The priced plan as JSON. */
export function planDocument({ plan, estimate, chainCheck }: PricedPlan): Record<string, unknown> {
  const { probed } = estimate;
  return {
    heads: plan.heads,
    beyondHead: plan.beyondHead,
    reorganised: Object.fromEntries(chainCheck.changed),
    slices: estimate.requests.reduce((sum, { counts }) => sum + counts.slices, 0),
    requests: estimate.total.requests,
    isLowerBound: estimate.total.rows === undefined,
    rows: estimate.total.rows ?? null,
    bytes: estimate.total.bytes ?? null,
    minutes: estimate.minutes,
    probe: probed === undefined ? null : { requests: probed.requests, seed: probed.seed },
    planned: estimate.requests.map((request) => ({
      dataset: request.request.dataset,
      endpoint: request.list.endpoint,
      isFound: request.isFound,
      unreachable: request.counts.unreachable,
      variant: request.list.variant,
      interval: request.interval ?? null,
      noBlocks: request.noBlocks ?? null,
      keys: request.keys,
      slices: request.counts.slices,
      provisionalSlices: request.counts.provisional,
      requests: request.price.requests,
      rows: request.price.rows ?? null,
      askedKeyBlocks: request.keyBlocks,
      coveredKeyBlocks: request.covered,
    })),
  };
}
