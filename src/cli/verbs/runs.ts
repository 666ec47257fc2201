import { Fault, suggestion } from '../../fault.ts';
import { processesAt } from '../../land/lock/lock-queue.ts';
import {
  errorsFound,
  type RunReport,
  type RunState,
  readReport,
  reportNames,
  runSeconds,
  stateOfRun,
} from '../../land/reports/run-reports.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { type Layout, layout } from '../../land/storage/layout.ts';
import { recordTable } from '../../load/query/text-table.ts';
import { wholeNumber } from '../../pipeline/syntax/fields.ts';
import { needLake } from '../../run/lake/lake-there.ts';
import { counted, many } from '../terminal/console.ts';
import { data, textOption } from '../terminal/options.ts';
import type { VerbOf } from '../terminal/verb-result.ts';

export const runsOptions = {
  options: {
    run: textOption('Name of a run, or the beginning of it'),
    data,
    limit: textOption('Maximum number of runs, newest first', '20'),
  },
  examples: {
    '$0 runs': 'the newest runs with their figures and exit codes',
    '$0 runs 20260102T030405Z --json': 'the full report of one run',
  },
};

/** `windrow runs`: the reports of runs, newest first, or one of them in full. */
export const runsVerb: VerbOf<typeof runsOptions> = async (input, output) => {
  const { effects } = output;
  const limit = wholeNumber('--limit', input.limit, 1, 1_000_000);
  const paths = layout(input.data);
  const names = (await reportNames(paths, localDisk)).reverse();
  if (names.length === 0) await needLake(input.data, effects);
  const processes = await processesAt(paths.lock, effects);
  if (input.run !== undefined) {
    const report = await namedReport(input.run, names, paths);
    const state = stateOfRun(report, processes);
    return { document: { ...report, state }, lines: reportLines(report, state), exitCode: 0 };
  }
  const reports: RunReport[] = [];
  for (const name of names) {
    if (reports.length === limit) break;
    const report = await readReport(paths, localDisk, name);
    if (report === undefined)
      output.note(`${name}.json is not a readable report of a run and is left out.`);
    else reports.push(report);
  }
  const rows = reports.map((report) => rowOf(report, stateOfRun(report, processes)));
  const document = { data: input.data, runs: rows };
  if (reports.length === 0) {
    return { document, lines: [`${input.data} has no reports of runs yet.`], exitCode: 0 };
  }
  const hint =
    names.length > limit ? `There are ${counted(names.length)} runs: see --limit.` : undefined;
  return { document, lines: [recordTable(rows)], hint, exitCode: 0 };
};

function rowOf(report: RunReport, state: RunState) {
  return {
    run: report.run,
    pipeline: report.pipeline,
    started: report.startedAt,
    state,
    seconds: runSeconds(report),
    requests: report.actual?.requests ?? null,
    rows: report.actual?.rows ?? null,
    exit: report.exitCode ?? null,
    findings: errorsFound(report) ?? null,
  };
}

/** The report of the run with this name, or the only one that begins with it. */
export async function namedReport(
  wanted: string,
  names: readonly string[],
  paths: Layout,
): Promise<RunReport> {
  const candidates = names.filter((name) => name.startsWith(wanted));
  const [name, ...others] = candidates.includes(wanted) ? [wanted] : candidates;
  if (name === undefined || others.length > 0) {
    const count = candidates.length;
    const finding = count > 1 ? `${count} runs begin with` : 'There is no run';
    throw new Fault('usage', `${finding} ${JSON.stringify(wanted)}.`, {
      where: paths.runs,
      advice:
        count > 1
          ? `Give more of the name: ${candidates.slice(0, 5).join(', ')} ...`
          : { text: suggestion(wanted, names.slice(0, 5)), command: 'windrow runs' },
    });
  }
  const report = await readReport(paths, localDisk, name);
  if (report !== undefined) return report;
  throw new Fault('lake', 'This report of a run cannot be read.', {
    where: paths.reportOf(name),
    advice: 'Nothing depends on it, and it can be deleted.',
  });
}

/** The outcome and the figures of a run. */
export function reportLines(report: RunReport, state: RunState): string[] {
  const { run, pipeline, startedAt, planned, actual = {}, checks = [], left = 0 } = report;
  const failed = report.failed?.length ?? 0;
  const lines = [`Run ${run} of ${pipeline}, from ${startedAt}${endText(report, state)}`];
  if (report.error !== undefined) lines.push(`${report.error.message} ${report.error.advice}`);
  if (report.actual === undefined) return lines;
  lines.push(
    `Planned ${planned?.isLowerBound ? 'at least ' : ''}${figure(planned?.requests, 'request')}; ` +
      `made ${figure(actual.requests, 'request')}, ` +
      `of which ${counted(actual.rejections ?? 0)} were rejected by the rate limit, ` +
      `${counted((actual.bytes ?? 0) / 1024)} KiB received.`,
    `Landed ${figure(actual.rows, 'row')} of ${figure(actual.slices, 'slice')} in ` +
      `${figure(actual.commits, 'commit')}; ${counted(actual.rowsReplaced ?? 0)} older rows ` +
      `replaced, ${counted(actual.quarantined ?? 0)} records quarantined.`,
  );
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

function endText(report: RunReport, state: RunState): string {
  if (state === 'under way') return ', under way.';
  if (state === 'killed') return ': killed, or ended by a crash. The next run continues.';
  const seconds = counted(runSeconds(report) ?? 0);
  return ` for ${seconds} s, exit code ${report.exitCode ?? 'unknown'}.`;
}

function figure(count: number | null | undefined, noun: string): string {
  return typeof count === 'number' ? many(count, noun) : `an unknown number of ${noun}s`;
}
