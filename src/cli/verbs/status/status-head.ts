import { isProven } from '../../../coverage/coverage.ts';
import type { Holder } from '../../../land/lock/holder.ts';
import { historyOf, type RunHistory } from '../../../land/reports/run-history.ts';
import { type RunReport, type RunState, stateOfRun } from '../../../land/reports/run-reports.ts';
import { durationText, momentText } from '../../../pipeline/syntax/duration.ts';
import { counted, many, type Tone } from '../../terminal/console.ts';
import { type QuotaUse, quotaUseDocument } from '../../terminal/quota-text.ts';
import type { NextStep } from './next-step.ts';

/** The newest run of a pipeline, and its history. */
export interface PipelineStatus {
  readonly pipeline: string;
  readonly newest: RunReport;
  readonly state: RunState;
  readonly history: RunHistory;
  readonly next: NextStep;
  /** The daily quota of the key; undefined if its runs have none. */
  readonly quota: QuotaUse | undefined;
}

/** Blocks times keys of lists, by a status that is neither complete nor provisional. */
export type Incomplete = Readonly<Record<string, { lists: number; keyBlocks: number }>>;

/** Sums by status. */
export function incompleteIn(
  lists: readonly { readonly status: string; readonly keyBlocks: number }[],
): Incomplete {
  const sums: Record<string, { lists: number; keyBlocks: number }> = {};
  for (const { status, keyBlocks } of lists) {
    if (isProven(status)) continue;
    const sum = sums[status] ?? { lists: 0, keyBlocks: 0 };
    sums[status] = { lists: sum.lists + 1, keyBlocks: sum.keyBlocks + keyBlocks };
  }
  return sums;
}

/** The state of a pipeline from its reports, newest first; undefined without a report. */
export function pipelineStatus(
  reports: readonly RunReport[],
  nextOf: (status: Omit<PipelineStatus, 'next'>) => NextStep,
  quotas: ReadonlyMap<string, QuotaUse> = new Map(),
  processes: readonly Holder[] = [],
): PipelineStatus | undefined {
  const [newest] = reports;
  if (newest === undefined) return undefined;
  const state = stateOfRun(newest, processes);
  const { pipeline } = newest;
  // The report of a run under way does not have its quota yet.
  const key = reports.find((report) => report.quota)?.quota?.key;
  const quota = key === undefined ? undefined : quotas.get(key);
  const status = { pipeline, newest, state, history: historyOf(reports), quota };
  return { ...status, next: nextOf(status) };
}

/** Last success, lag, incomplete blocks, and the next command. */
export function headLines(
  pipelines: readonly PipelineStatus[],
  incomplete: Incomplete,
  nowMs: number,
): string[] {
  const lines = pipelines.flatMap((pipeline) => [
    ...successLines(pipeline, nowMs),
    ...lastRunLines(pipeline, nowMs),
    ...quotaLines(pipeline, nowMs),
    ...lagLines(pipeline),
  ]);
  if (pipelines.length === 0) lines.push('No run has left a report here.');
  lines.push(incompleteLine(incomplete));
  const steps = new Map(pipelines.map(({ next }) => [next.command ?? next.reason, next]));
  for (const { command, reason } of steps.values()) {
    lines.push(
      command === null ? `Next: nothing to do: ${reason}.` : `Next: ${command} (${reason})`,
    );
  }
  return lines;
}

function successLines({ pipeline, history }: PipelineStatus, nowMs: number): string[] {
  const { lastSuccessMs, laterPartMs } = history;
  const runs = laterPartMs === undefined ? 'no run' : 'no run of all its blocks';
  const last =
    lastSuccessMs === undefined
      ? `${runs} has ended with exit code 0 yet`
      : `last success ${momentText(lastSuccessMs)}, ${ago(lastSuccessMs, nowMs)}`;
  const lines = [`${pipeline}: ${last}.`];
  if (laterPartMs !== undefined) {
    const part = 'read only blocks that its command line named';
    lines.push(`  the last run with exit code 0, ${ago(laterPartMs, nowMs)}, ${part}`);
  }
  return lines;
}

/** One line for each pipeline whose last success is older than `maxAgeMs`, or is missing. */
export function staleLines(
  pipelines: readonly PipelineStatus[],
  nowMs: number,
  maxAgeMs: number,
): string[] {
  if (pipelines.length === 0) return ['TOO OLD: no run has left a report here.'];
  return pipelines.flatMap(({ pipeline, history: { lastSuccessMs } }) => {
    if (lastSuccessMs === undefined) return [`TOO OLD: ${pipeline} has no success yet.`];
    if (nowMs - lastSuccessMs <= maxAgeMs) return [];
    const age = `${ago(lastSuccessMs, nowMs)}, more than ${durationText(maxAgeMs)}`;
    return [`TOO OLD: the last success of ${pipeline} was ${age}.`];
  });
}

/** The newest run, unless it succeeded. */
function lastRunLines({ newest, state }: PipelineStatus, nowMs: number): string[] {
  const { startedAt, endedAt, exitCode, error, limit, left = 0, failed = [] } = newest;
  const startedMs = Date.parse(startedAt);
  if (state === 'under way') return [`  a run has been under way since ${momentText(startedMs)}`];
  if (state === 'killed') {
    return [`  the last run, of ${momentText(startedMs)}, was killed or crashed`];
  }
  if (exitCode === 0 || endedAt === undefined) return [];
  const more = failed.length > 1 ? ` (and ${many(failed.length - 1, 'more failed slice')})` : '';
  const why = error?.message ?? failed[0]?.reason;
  const reason = limit
    ? `, partial because ${limit.message}, with ${many(left, 'slice')} left`
    : why === undefined
      ? ''
      : `: ${why}${more}`;
  return [
    `  the last run ended with exit code ${exitCode}, ${ago(Date.parse(endedAt), nowMs)}${reason}`,
  ];
}

/** The end of the wait for a quota that is used up. */
function quotaLines({ quota }: PipelineStatus, nowMs: number): string[] {
  if (quota?.usedUpUntilMs === undefined) return [];
  const { perDay, usedUpUntilMs } = quota;
  const wait = durationText(Math.max(0, usedUpUntilMs - nowMs));
  const until = `requests are possible again at ${momentText(usedUpUntilMs)}, in ${wait}`;
  return [`  the daily quota of its key (${many(perDay, 'request')}) is used up: ${until}`];
}

function lagLines({ history: { heads } }: PipelineStatus): string[] {
  return Object.entries(heads).map(([axis, { head, safe, lagBlocks }]) => {
    const lag =
      lagBlocks === undefined
        ? 'no run has read it to its end'
        : `${many(lagBlocks, 'block')} behind`;
    return `  ${axis} chain: ${lag} (head ${counted(head)}, final below ${counted(safe)})`;
  });
}

function incompleteLine(incomplete: Incomplete): string {
  const parts = Object.entries(incomplete).map(([status, { lists, keyBlocks }]) => {
    return `${status} in ${many(lists, 'list')} (${many(keyBlocks, 'block')} times keys)`;
  });
  return parts.length === 0
    ? 'Incomplete: nothing that was read.'
    : `Incomplete: ${parts.join(', ')}; see below.`;
}

const TONES: readonly (readonly [RegExp, Tone])[] = [
  [/^(DAMAGED|TOO OLD)|^ {2}the last run\b.* (ended with exit code [12]\b|was killed)/, 'error'],
  [/^Incomplete: nothing|^ {4}complete for/, 'good'],
  [/^Incomplete: |^ {4}(?!provisional)\w+ for |^ {2}the last run ended/, 'warn'],
];

/** The colour of a line of the status. */
export function toneOf(line: string): Tone | undefined {
  return TONES.find(([pattern]) => pattern.test(line))?.[1];
}

/** `5 min 2 s ago`; clocks that differ make no time negative. */
export function ago(atMs: number, nowMs: number): string {
  return `${durationText(Math.max(0, nowMs - atMs))} ago`;
}

function timeDocument(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}

/** The head as JSON. */
export function headDocument(pipelines: readonly PipelineStatus[], incomplete: Incomplete) {
  return {
    incomplete,
    pipelines: pipelines.map(({ pipeline, newest, state, history, next, quota }) => ({
      pipeline,
      lastSuccessAt: timeDocument(history.lastSuccessMs),
      laterPartAt: timeDocument(history.laterPartMs),
      lastRun: {
        run: newest.run,
        state,
        startedAt: newest.startedAt,
        endedAt: newest.endedAt ?? null,
        exitCode: newest.exitCode ?? null,
      },
      heads: Object.fromEntries(
        Object.entries(history.heads).map(([axis, { head, safe, lagBlocks, atMs }]) => [
          axis,
          { head, safe, lagBlocks: lagBlocks ?? null, readAt: new Date(atMs).toISOString() },
        ]),
      ),
      quota: quota === undefined ? null : quotaUseDocument(quota),
      next,
    })),
  };
}
