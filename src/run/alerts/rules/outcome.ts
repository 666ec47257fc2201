import { isProven } from '../../../coverage/coverage.ts';
import type { Holder } from '../../../land/lock/holder.ts';
import {
  errorsFound,
  type RunReport,
  type RunState,
  stateOfRun,
} from '../../../land/reports/run-reports.ts';

/** The end of a run, as alert rules see it. */
export interface RunOutcome {
  readonly run: string;
  readonly atMs: number;
  /**
   * `complete`: everything below the safe height is there (exit codes 0 and 4). `undecided`: the
   * run was interrupted, or fetched other blocks than the pipeline names.
   */
  readonly end: 'complete' | 'partial' | 'failed' | 'killed' | 'undecided';
  readonly exitCode: number | null;
  /** The error of a failed run, or a summary of an incomplete one; may be ''. */
  readonly reason: string;
  /** Findings by check; absent if the run did not reach the checks. */
  readonly findings?: Readonly<Record<string, number>>;
  /** Differences from witnesses; absent if the run did not reconcile. */
  readonly differing?: number;
  /** Fields that the catalogue does not know, and stable fields that records lacked. */
  readonly drift: readonly string[];
  readonly quarantined: number;
}

const KILLED = 'the process ended without a report: perhaps it was killed, or out of memory';

/** The outcome that a report tells; undefined while the run is under way. See `stateOfRun`. */
export function outcomeOf(
  report: RunReport,
  others: readonly Holder[] = [],
): RunOutcome | undefined {
  const state = stateOfRun(report, others);
  if (state === 'under way') return undefined;
  const { run, startedAt, endedAt, exitCode = null, actual, checks } = report;
  const errors = (checks ?? []).filter(({ severity, findings }) => {
    return severity === 'error' && findings > 0;
  });
  return {
    run,
    atMs: Date.parse(endedAt ?? startedAt),
    end: endOf(report, state),
    exitCode,
    reason: state === 'killed' ? KILLED : reasonOf(report),
    ...(errorsFound(report) === undefined
      ? {}
      : { findings: Object.fromEntries(errors.map(({ check, findings }) => [check, findings])) }),
    ...(report.reconciled == null ? {} : { differing: report.reconciled.differs }),
    drift: [
      ...Object.keys(actual?.drift ?? {}).map((field) => `${field} (unknown)`),
      ...Object.keys(actual?.absent ?? {}).map((field) => `${field} (missing)`),
    ].sort(),
    quarantined: actual?.quarantined ?? 0,
  };
}

function endOf({ isWhole, exitCode }: RunReport, state: RunState): RunOutcome['end'] {
  if (isWhole === false) return 'undecided';
  if (state === 'killed') return 'killed';
  switch (exitCode) {
    case 0:
    case 4:
      return 'complete';
    case 3:
      return 'partial';
    case 1:
    case 2:
      return 'failed';
    default:
      return 'undecided';
  }
}

function reasonOf({ error, failed, left, limit, actual }: RunReport): string {
  if (error !== undefined) return `${error.message} ${error.advice}`;
  const parts = [
    [failed?.length ?? 0, 'slices failed'],
    [left ?? 0, 'slices left'],
    [actual?.quarantined ?? 0, 'records quarantined'],
    ...Object.entries(actual?.statuses ?? {})
      .filter(([status]) => !isProven(status))
      .map(([status, count]) => [count, `slices ${status}`] as const),
  ] as const;
  const counts = parts.filter(([count]) => count > 0).map(([count, noun]) => `${count} ${noun}`);
  return [...(limit ? [limit.message] : []), ...counts].join(', ');
}
