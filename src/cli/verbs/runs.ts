import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Argv } from 'yargs';
import { z } from 'zod';
import { suggestion } from '../../config/nearest.ts';
import { Fault } from '../../fault.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { textTable } from '../../load/query/text-table.ts';
import { needLake } from '../job/lake-there.ts';
import type { Console } from '../terminal/console.ts';
import { counted, jsonDocument, many } from '../terminal/console.ts';
import { data, wholeNumber, withExitCodes } from '../terminal/options.ts';
import type { ExitCode } from '../terminal/report.ts';

export function runsOptions(args: Argv) {
  return withExitCodes(args)
    .positional('run', { type: 'string', describe: 'Name of a run, or the beginning of it' })
    .options({
      data,
      limit: { type: 'string', default: '20', describe: 'Maximum number of runs, newest first' },
    })
    .example('$0 runs', 'the newest runs with their figures and exit codes')
    .example('$0 runs 20260102T030405Z --json', 'the full report of one run');
}

/** The part of a report that a list needs. Other versions of windrow may write other fields. */
const reportSchema = z.looseObject({
  run: z.string(),
  pipeline: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  exitCode: z.int().optional(),
  planned: z.looseObject({ requests: z.number().nullish() }).optional(),
  actual: z
    .looseObject({
      requests: z.number().optional(),
      rejections: z.number().optional(),
      bytes: z.number().optional(),
      slices: z.number().optional(),
      commits: z.number().optional(),
      rows: z.number().optional(),
      rowsReplaced: z.number().optional(),
      quarantined: z.number().optional(),
      statuses: z.record(z.string(), z.number()).optional(),
    })
    .optional(),
  failed: z.array(z.unknown()).optional(),
  left: z.number().optional(),
  checks: z
    .array(z.looseObject({ check: z.string(), severity: z.string(), findings: z.number() }))
    .optional(),
});
type Report = z.infer<typeof reportSchema>;

export interface RunsArguments {
  readonly run?: string | undefined;
  readonly data: string;
  readonly limit: string;
}

/** `windrow runs`: the reports of runs, newest first, or one of them in full. */
export async function runsVerb(given: RunsArguments, output: Console): Promise<ExitCode> {
  const limit = wholeNumber('--limit', given.limit, 1, 1_000_000);
  const { runs, lastReport } = layout(given.data);
  const names = (await localDisk.list(runs))
    .filter((name) => name.endsWith('.json') && name !== basename(lastReport))
    .map((name) => name.slice(0, -'.json'.length))
    // Names begin with the time.
    .sort()
    .reverse();
  if (names.length === 0) await needLake(given.data);
  if (given.run !== undefined) return showRun(given.run, names, runs, output);
  const reports: Report[] = [];
  for (const name of names) {
    if (reports.length === limit) break;
    const report = await readReport(join(runs, `${name}.json`));
    if (report === undefined)
      output.note(`${name}.json is not a readable report of a run and is left out.`);
    else reports.push(report);
  }
  if (output.isJson) output.out(jsonDocument({ data: given.data, runs: reports.map(rowOf) }));
  else if (reports.length === 0) output.out(`${given.data} has no reports of runs yet.`);
  else {
    output.out(textTable(COLUMNS, reports.map(rowOf)));
    if (names.length > limit) output.note(`There are ${counted(names.length)} runs: see --limit.`);
  }
  return 0;
}

async function readReport(file: string): Promise<Report | undefined> {
  try {
    return reportSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

const COLUMNS = [
  { name: 'run', type: 'VARCHAR' },
  { name: 'pipeline', type: 'VARCHAR' },
  { name: 'started', type: 'VARCHAR' },
  { name: 'seconds', type: 'DOUBLE' },
  { name: 'requests', type: 'BIGINT' },
  { name: 'rows', type: 'BIGINT' },
  { name: 'exit', type: 'BIGINT' },
  { name: 'findings', type: 'BIGINT' },
];

function rowOf(report: Report) {
  return {
    run: report.run,
    pipeline: report.pipeline,
    started: report.startedAt,
    seconds: secondsOf(report),
    requests: report.actual?.requests ?? null,
    rows: report.actual?.rows ?? null,
    exit: report.exitCode ?? null,
    findings: findingsOf(report),
  };
}

function secondsOf({ startedAt, endedAt }: Report): number {
  return (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}

/** Findings of checks that fail a run, without notes. */
function findingsOf({ checks }: Report): number | null {
  if (checks === undefined) return null;
  const errors = checks.filter(({ severity }) => severity === 'error');
  return errors.reduce((sum, { findings }) => sum + findings, 0);
}

async function showRun(
  given: string,
  names: readonly string[],
  folder: string,
  output: Console,
): Promise<ExitCode> {
  const found = names.filter((name) => name.startsWith(given));
  const [name] = found.includes(given) ? [given] : found;
  if (name === undefined || (found.length > 1 && name !== given)) {
    const finding = found.length > 1 ? `${found.length} runs begin with` : 'There is no run';
    throw new Fault('usage', `${finding} ${JSON.stringify(given)}.`, {
      where: folder,
      advice:
        found.length > 1
          ? `Give more of the name: ${found.slice(0, 5).join(', ')} ...`
          : `windrow runs lists them. ${suggestion(given, names.slice(0, 5))}`,
    });
  }
  const file = join(folder, `${name}.json`);
  const report = await readReport(file);
  if (report === undefined) {
    throw new Fault('lake', 'This report of a run cannot be read.', {
      where: file,
      advice: 'Nothing depends on it: delete it, and see windrow status for the lake.',
    });
  }
  if (output.isJson) output.out(jsonDocument(report));
  else for (const line of reportLines(report)) output.out(line);
  return 0;
}

function reportLines(report: Report): string[] {
  const { run, pipeline, startedAt, planned, actual = {}, checks = [], left = 0 } = report;
  const failed = report.failed?.length ?? 0;
  const lines = [
    `Run ${run} of ${pipeline}, from ${startedAt} for ${counted(secondsOf(report))} s, ` +
      `exit code ${report.exitCode ?? 'unknown'}.`,
    `Planned ${figure(planned?.requests, 'request')}; ` +
      `made ${figure(actual.requests, 'request')}, ` +
      `of which ${counted(actual.rejections ?? 0)} were rejected by the rate limit, ` +
      `${counted((actual.bytes ?? 0) / 1024)} KiB received.`,
    `Landed ${figure(actual.rows, 'row')} of ${figure(actual.slices, 'slice')} in ` +
      `${figure(actual.commits, 'commit')}; ${counted(actual.rowsReplaced ?? 0)} older rows ` +
      `replaced, ${counted(actual.quarantined ?? 0)} records quarantined.`,
  ];
  for (const [status, count] of Object.entries(actual.statuses ?? {})) {
    lines.push(`  ${status}: ${many(count, 'slice')}`);
  }
  if (failed > 0) lines.push(`${many(failed, 'slice')} failed: see --json.`);
  if (left > 0) lines.push(`Interrupted with ${many(left, 'slice')} left.`);
  for (const { check, severity, findings } of checks) {
    lines.push(`Check ${check}: ${findings === 0 ? 'ok' : many(findings, severity)}`);
  }
  return lines;
}

function figure(count: number | null | undefined, noun: string): string {
  return typeof count === 'number' ? many(count, noun) : `an unknown number of ${noun}s`;
}
