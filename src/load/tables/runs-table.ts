import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DuckDBTimestampTZValue } from '@duckdb/node-api';
import { z } from 'zod';
import type { LakeTable } from '../../curate/rule/lake-tables.ts';
import { isCode } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';

const figure = z.number().nullish();

/** The fields read from a run's report. Other versions of windrow may write other fields. */
const reportSchema = z.object({
  pipeline: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  exitCode: z.int().nullish(),
  nothingToDo: z.boolean().nullish(),
  planned: z.object({ requests: figure }).nullish(),
  actual: z
    .object({
      requests: figure,
      rejections: figure,
      bytes: figure,
      commits: figure,
      slices: figure,
      rows: figure,
      rowsReplaced: figure,
      quarantined: figure,
    })
    .nullish(),
  failed: z.array(z.unknown()).nullish(),
  left: figure,
  checks: z.array(z.object({ severity: z.string(), findings: z.number() })).nullish(),
});
type Report = z.infer<typeof reportSchema>;

/** `lake.runs` without rows. */
export const RUNS_TABLE: LakeTable = {
  name: 'runs',
  comment: 'One row per run that had ended when this warehouse was built',
  rows: [],
  columns: [
    { name: 'run', type: 'VARCHAR', comment: 'Name of the run; _run of the rows it landed' },
    { name: 'pipeline', type: 'VARCHAR', comment: 'Name of its pipeline' },
    { name: 'started_at', type: 'TIMESTAMPTZ', comment: 'When it began [UTC]' },
    { name: 'ended_at', type: 'TIMESTAMPTZ', comment: 'When it ended [UTC]' },
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
 * `lake.runs`: the reports beside the lake, oldest first. An unreadable report becomes a row with
 * its name only. A run appears in warehouses that are built after it.
 */
export async function runsTable(layout: Layout): Promise<LakeTable> {
  const last = basename(layout.lastReport);
  const names = (await namesIn(layout.runs)).filter(
    (name) => name.endsWith('.json') && name !== last,
  );
  const rows: LakeTable['rows'][number][] = [];
  for (const name of names.sort()) {
    const report = reportOf(await readFile(join(layout.runs, name), 'utf8'));
    const run = name.slice(0, -'.json'.length);
    rows.push(report === undefined ? [run] : [run, ...cellsOf(report)]);
  }
  return { ...RUNS_TABLE, rows };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function reportOf(text: string): Report | undefined {
  try {
    return reportSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function cellsOf(report: Report) {
  const { actual, checks } = report;
  const errors = checks?.filter(({ severity }) => severity === 'error');
  return [
    report.pipeline,
    timeOf(report.startedAt),
    timeOf(report.endedAt),
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
    wholeOf(errors?.reduce((sum, { findings }) => sum + findings, 0)),
  ];
}

function timeOf(iso: string): DuckDBTimestampTZValue {
  return new DuckDBTimestampTZValue(BigInt(Date.parse(iso)) * 1000n);
}

function wholeOf(value: number | null | undefined): bigint | null {
  return value === null || value === undefined ? null : BigInt(Math.round(value));
}
