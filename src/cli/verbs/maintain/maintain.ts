import { MAINTENANCE_RULES } from '../../../pipeline/maintenance.ts';
import { parseDuration } from '../../../pipeline/syntax/duration.ts';
import { wholeNumber } from '../../../pipeline/syntax/fields.ts';
import { maintainLake } from '../../../run/lake/maintain-lake.ts';
import {
  maintainedLines,
  maintenancePlanDocument,
  maintenancePlanLines,
  notMergedLines,
} from '../../terminal/maintenance-text.ts';
import { data, textOption, toggle } from '../../terminal/options.ts';
import { print, type VerbOf } from '../../terminal/verb-result.ts';

const LONGEST_RETAIN_MS = 3650 * 86_400_000;

export const maintainOptions = {
  options: {
    data,
    chain: textOption('Chain to maintain, if the lake has several'),
    retain: textOption('How long a replaced file stays for readers of older versions', '7d'),
    fileRows: textOption('Rows of a merged file at most', String(MAINTENANCE_RULES.target.rows)),
    dryRun: toggle('Print the plan and change nothing'),
  },
  examples: {
    '$0 maintain --dry-run': 'shows what would be merged and deleted',
    '$0 maintain --retain 30d': 'keeps the files of older versions for 30 days',
  },
};

/**
 * `windrow maintain`: merges small files, deletes replaced and abandoned ones, and replaces damaged
 * checkpoints. Ends with 1 where damage stays.
 */
export const maintainVerb: VerbOf<typeof maintainOptions> = async (input, output) => {
  const retainMs = parseDuration(input.retain, '--retain', LONGEST_RETAIN_MS);
  const rows = wholeNumber('--file-rows', input.fileRows, 1000, 10_000_000);
  const rules = { target: { ...MAINTENANCE_RULES.target, rows }, retainMs };
  const { data: root, chain } = input;
  const { plan, done, exitCode } = await maintainLake(output, {
    ...{ root, chain, rules },
    isPlanOnly: input.dryRun,
    planned: (planned) => print({ lines: maintenancePlanLines(planned) }, output),
    merged: (merges) => print({ lines: notMergedLines(merges) }, output),
  });
  return {
    document: { data: root, plan: maintenancePlanDocument(plan), done: done ?? null, exitCode },
    lines: done === undefined ? [] : maintainedLines(done.merges, done.deletes, done.checkpoints),
    exitCode,
  };
};
