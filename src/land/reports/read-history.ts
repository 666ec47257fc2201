import type { Disk } from '../storage/disk.ts';
import type { Layout } from '../storage/layout.ts';
import { historyOf, isKnown, type RunHistory } from './run-history.ts';
import { type RunReport, readReport, reportNames } from './run-reports.ts';

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
