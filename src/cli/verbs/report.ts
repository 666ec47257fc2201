import { relative } from 'node:path';
import { processesAt } from '../../land/lock/lock-queue.ts';
import { isElsewhere } from '../../land/places/mounts.ts';
import { type RunReport, reportNames, stateOfRun } from '../../land/reports/run-reports.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { needLake } from '../../run/lake/lake-there.ts';
import { withReadyWarehouse } from '../../run/lake/with-warehouse.ts';
import type { Console } from '../terminal/console.ts';
import { type Arguments, data, textOption, toggle } from '../terminal/options.ts';
import type { VerbOf } from '../terminal/verb-result.ts';
import { namedReport, reportLines } from './runs.ts';

export const reportOptions = {
  options: {
    run: textOption('Name of a run; default: the newest'),
    data,
    out: textOption('File to write; default: DIR/runs/RUN.html'),
    force: toggle('Replace an existing --out'),
  },
  examples: {
    '$0 report --out report.html': 'one page about the newest run and the lake',
  },
};

export type ReportArguments = Arguments<typeof reportOptions>;

/** `windrow report`: one page of HTML about a run and the lake, and a summary on stdout. */
export const reportVerb: VerbOf<typeof reportOptions> = async (input, output) => {
  const run = await readRun(input, output);
  const { writeReport } = await import('../../run/shell/write-report.ts');
  const file = await withReadyWarehouse(input.data, output, (paths) =>
    writeReport(paths, run, input.out, input.force),
  );
  const path = isElsewhere(file) ? file : relative('', file);
  const processes = await processesAt(layout(input.data).lock, output.effects);
  const lines = [...reportLines(run, stateOfRun(run, processes)), `Written: ${path}`];
  return { document: { run: run.run, file: path }, lines, exitCode: 0 };
};

async function readRun(
  { data: root, run }: ReportArguments,
  { effects }: Console,
): Promise<RunReport> {
  const paths = layout(root);
  // Names begin with the time; other files may lie beside the reports.
  const all = await reportNames(paths, localDisk);
  const names = all.filter((name) => /^\d{8}T/.test(name)).reverse();
  if (names.length === 0) await needLake(root, effects);
  return namedReport(run ?? names[0] ?? '', names, paths);
}
