import { DuckDBTimestampTZValue } from '@duckdb/node-api';
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
    { name: 'run', type: 'VARCHAR', comment: 'Name of the run; _run of the rows it landed' },
    { name: 'pipeline', type: 'VARCHAR', comment: 'Name of its pipeline' },
    { name: 'started_at', type: 'TIMESTAMPTZ', comment: 'When it began [UTC]' },
    {
      name: 'ended_at',
      type: 'TIMESTAMPTZ',
      comment: 'When it ended [UTC]; NULL for a killed run',
    },
    { name: 'exit', type: 'BIGINT', comment: 'Exit code: 0 ok, 3 partial, 4 checks failed' },
    {
      name: 'nothing_to_do',
      type: 'BOOLEAN',
      comment: 'Whether all requested rows were there already',
    },
    { name: 'planned_requests', type: 'BIGINT', comment: 'Requests it expected' },
    { name: 'requests', type: 'BIGINT', comment: 'Requests it made' },
    {
      name: 'rejections',
      type: 'BIGINT',
      comment: 'Requests that the rate limit rejected',
    },
    { name: 'received', type: 'BIGINT', comment: 'Size of the replies [bytes]' },
    { name: 'slices', type: 'BIGINT', comment: 'Slices it walked' },
    { name: 'slices_failed', type: 'BIGINT', comment: 'Slices that failed' },
    { name: 'slices_left', type: 'BIGINT', comment: 'Slices that were left when it ended' },
    { name: 'commits', type: 'BIGINT', comment: 'Commits it made' },
    { name: 'rows', type: 'BIGINT', comment: 'Rows it landed' },
    { name: 'rows_replaced', type: 'BIGINT', comment: 'Older rows that they replaced' },
    { name: 'quarantined', type: 'BIGINT', comment: 'Records that broke their contract' },
    { name: 'errors_found', type: 'BIGINT', comment: 'Findings of checks of severity error' },
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

function timeOf(iso: string): DuckDBTimestampTZValue {
  return new DuckDBTimestampTZValue(BigInt(Date.parse(iso)) * 1000n);
}

function wholeOf(value: number | null | undefined): bigint | null {
  return value === null || value === undefined ? null : BigInt(Math.round(value));
}
