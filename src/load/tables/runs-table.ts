import { column } from '../../catalogue/entry.ts';
import type { LakeTable } from '../../curate/rule/lake-tables.ts';
import { processesAt } from '../../land/lock/lock-queue.ts';
import {
  errorsFound,
  type RunReport,
  readReport,
  reportNames,
  stateOfRun,
} from '../../land/reports/run-reports.ts';
import { localDisk } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';

/** `lake.runs` without rows. */
export const RUNS_TABLE: LakeTable = {
  name: 'runs',
  comment: 'One row per run that had ended when this warehouse was built',
  rows: [],
  columns: [
    column('run', 'VARCHAR', 'Name of the run; _run of the rows it landed'),
    column('pipeline', 'VARCHAR', 'Name of its pipeline'),
    column('started_at', 'TIMESTAMPTZ', 'When it began [UTC]'),
    column('ended_at', 'TIMESTAMPTZ', 'When it ended [UTC]; NULL for a killed run'),
    column('exit', 'BIGINT', 'Exit code: 0 ok, 3 partial, 4 checks failed'),
    column('nothing_to_do', 'BOOLEAN', 'Whether all requested rows were there already'),
    column('planned_requests', 'BIGINT', 'Requests it expected'),
    column('requests', 'BIGINT', 'Requests it made'),
    column('rejections', 'BIGINT', 'Requests that the rate limit rejected'),
    column('received', 'BIGINT', 'Size of the replies [bytes]'),
    column('slices', 'BIGINT', 'Slices it walked'),
    column('slices_failed', 'BIGINT', 'Slices that failed'),
    column('slices_left', 'BIGINT', 'Slices that were left when it ended'),
    column('commits', 'BIGINT', 'Commits it made'),
    column('rows', 'BIGINT', 'Rows it landed'),
    column('rows_replaced', 'BIGINT', 'Older rows that they replaced'),
    column('quarantined', 'BIGINT', 'Records that broke their contract'),
    column('errors_found', 'BIGINT', 'Findings of checks of severity error'),
  ],
};

/**
 * `lake.runs`: the reports beside the lake, oldest first, without runs under way. A killed run has
 * no end; an unreadable report becomes a row with its name only. A run appears in warehouses that
 * are built after it.
 */
export async function runsTable(layout: Layout): Promise<LakeTable> {
  const rows: LakeTable['rows'][number][] = [];
  const others = await processesAt(layout.lock);
  for (const run of await reportNames(layout, localDisk)) {
    const report = await readReport(layout, localDisk, run);
    if (report === undefined) rows.push([run]);
    else if (stateOfRun(report, others) !== 'under way') rows.push([run, ...cellsOf(report)]);
  }
  return { ...RUNS_TABLE, rows };
}

function cellsOf(report: RunReport) {
  const { actual, endedAt } = report;
  return [
    report.pipeline,
    timeOf(report.startedAt),
    endedAt === undefined ? null : timeOf(endedAt),
    wholeOf(report.exitCode),
    report.nothingToDo ?? null,
    wholeOf(report.planned?.requests),
    wholeOf(actual?.requests),
    wholeOf(actual?.rejections),
    wholeOf(actual?.bytes),
    wholeOf(actual?.slices),
    wholeOf(report.failed?.length),
    wholeOf(report.left),
    wholeOf(actual?.commits),
    wholeOf(actual?.rows),
    wholeOf(actual?.rowsReplaced),
    wholeOf(actual?.quarantined),
    wholeOf(errorsFound(report)),
  ];
}

function timeOf(iso: string): bigint {
  return BigInt(Date.parse(iso)) * 1000n;
}

function wholeOf(value: number | null | undefined): bigint | null {
  return value === null || value === undefined ? null : BigInt(Math.round(value));
}
