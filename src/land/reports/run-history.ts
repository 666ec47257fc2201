import type { Disk } from '../storage/disk.ts';
import type { Layout } from '../storage/layout.ts';
import { type RunReport, readReport, reportNames } from './run-reports.ts';

/** What the reports of one pipeline say together. */
export interface RunHistory {
  /** The newest run that has ended. */
  readonly last: RunReport | undefined;
  /**
   * End of the newest run of all blocks of the pipeline that ended with exit code 0 [ms since the
   * Unix epoch].
   */
  readonly lastSuccessMs: number | undefined;
  /**
   * End of a later run that ended with exit code 0, but read only blocks that its command line
   * named; undefined without one [ms since the Unix epoch].
   */
  readonly laterPartMs: number | undefined;
  /** Heads by axis, from the newest run that read them. */
  readonly heads: Readonly<Record<string, KnownHead>>;
}

export interface KnownHead {
  readonly head: number;
  /** First height that is not final. */
  readonly safe: number;
  /**
   * Blocks from the last one that a run has read to its end, to the head; undefined if no known run
   * has read everything.
   */
  readonly lagBlocks: number | undefined;
  /** The run that read the head ended then [ms since the Unix epoch]. */
  readonly atMs: number;
}

/** Whether enough reports are known: older ones would change nothing. */
export function isKnown({ last, lastSuccessMs, heads }: RunHistory): boolean {
  const lags = Object.values(heads).map(({ lagBlocks }) => lagBlocks);
  return last !== undefined && lastSuccessMs !== undefined && !lags.includes(undefined);
}

/** The history in reports of one pipeline, newest first. Open reports have no part in it. */
export function historyOf(reports: readonly RunReport[]): RunHistory {
  const ended = reports.filter(({ endedAt }) => endedAt !== undefined);
  const success = ended.find(({ exitCode, isWhole }) => exitCode === 0 && isWhole !== false);
  const newest = ended.find(({ exitCode }) => exitCode === 0);
  const part = newest === success ? undefined : newest;
  const heads: Record<string, KnownHead> = {};
  for (const report of ended) {
    for (const [axis, { head, safe }] of Object.entries(report.planned?.heads ?? {})) {
      const entry = heads[axis] ?? { head, safe, lagBlocks: undefined, atMs: endMsOf(report) };
      const isNews = entry.lagBlocks === undefined && isRead(report);
      heads[axis] = isNews ? { ...entry, lagBlocks: Math.max(0, entry.head - safe + 1) } : entry;
    }
  }
  const lastSuccessMs = success && endMsOf(success);
  return { last: ended[0], lastSuccessMs, laterPartMs: part && endMsOf(part), heads };
}

/** Whether the run has read all blocks of its pipeline that were final then. */
function isRead({ actual, failed, left = 0, exitCode, isWhole }: RunReport): boolean {
  if (actual === undefined || isWhole === false) return false;
  // Reports of followers list no failed slices.
  return failed === undefined ? exitCode === 0 : failed.length === 0 && left === 0;
}

function endMsOf({ endedAt }: RunReport): number {
  return Date.parse(endedAt ?? '');
}

/** Reports that are read at most, to find the last success. */
const MOST_REPORTS = 500;
/** Reports that are read at least, to find pipelines that ran less often. */
const FEWEST_REPORTS = 20;

/** The history of one pipeline. */
export async function readHistoryOf(
  layout: Layout,
  disk: Disk,
  pipeline: string,
  nowMs: number,
): Promise<RunHistory> {
  const reports: RunReport[] = [];
  for (const name of await newestNames(layout, disk, nowMs)) {
    const report = await readReport(layout, disk, name);
    if (report?.pipeline !== pipeline) continue;
    reports.push(report);
    if (isKnown(historyOf(reports))) break;
  }
  return historyOf(reports);
}

/** The newest reports of each pipeline, newest first, by pipeline in the order of their runs. */
export async function readReportsByPipeline(
  layout: Layout,
  disk: Disk,
  nowMs: number,
): Promise<ReadonlyMap<string, readonly RunReport[]>> {
  const pipelines = new Map<string, RunReport[]>();
  for (const [i, name] of (await newestNames(layout, disk, nowMs)).entries()) {
    const areKnown = [...pipelines.values()].every((reports) => isKnown(historyOf(reports)));
    if (i >= FEWEST_REPORTS && areKnown) break;
    const report = await readReport(layout, disk, name);
    if (report === undefined) continue;
    pipelines.set(report.pipeline, [...(pipelines.get(report.pipeline) ?? []), report]);
  }
  return pipelines;
}

/** Runs that are dated later than this were made before the clock was set back. */
const CLOCKS_DIFFER_MS = 300_000;

/** Newest first. Runs of the future come last: they would hide all others until then. */
async function newestNames(layout: Layout, disk: Disk, nowMs: number): Promise<string[]> {
  const names = (await reportNames(layout, disk)).reverse();
  const latest = new Date(nowMs + CLOCKS_DIFFER_MS).toISOString().replace(/[-:]|\.\d+/g, '');
  const isFuture = (name: string): boolean => name > `${latest}~`;
  return [...names.filter((name) => !isFuture(name)), ...names.filter(isFuture)].slice(
    0,
    MOST_REPORTS,
  );
}
