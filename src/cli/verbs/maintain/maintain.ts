import type { Argv } from 'yargs';
import { MAINTENANCE_RULES } from '../../../pipeline/maintenance.ts';
import { parseDuration } from '../../../pipeline/syntax/duration.ts';
import { wholeNumber } from '../../../pipeline/syntax/fields.ts';
import { maintainLake } from '../../../run/lake/maintain-lake.ts';
import { surroundingsOf } from '../../job/console-surroundings.ts';
import type { Console } from '../../terminal/console.ts';
import {
  maintainedLines,
  maintenancePlanDocument,
  maintenancePlanLines,
  notMergedLines,
} from '../../terminal/maintenance-text.ts';
import { data, withExitCodes } from '../../terminal/options.ts';
import { print, type VerbResult } from '../../terminal/verb-result.ts';

const LONGEST_RETAIN_MS = 3650 * 86_400_000;

export function maintainOptions(args: Argv) {
  return withExitCodes(args)
    .options({
      data,
      chain: { type: 'string', describe: 'Chain to maintain, if the lake has several' },
      retain: {
        type: 'string',
        default: '7d',
        describe: 'How long a replaced file stays for readers of older versions',
      },
      'file-rows': {
        type: 'string',
        default: String(MAINTENANCE_RULES.target.rows),
        describe: 'Rows of a merged file at most',
      },
      'dry-run': { type: 'boolean', default: false, describe: 'Print the plan and change nothing' },
    })
    .example('$0 maintain --dry-run', 'shows what would be merged and deleted')
    .example('$0 maintain --retain 30d', 'keeps the files of older versions for 30 days');
}

export interface MaintainArguments {
  readonly data: string;
  readonly chain?: string | undefined;
  readonly retain: string;
  readonly fileRows: string;
  readonly dryRun: boolean;
}

/**
 * `windrow maintain`: merges small files, deletes replaced and abandoned ones, and replaces damaged
 * checkpoints. Ends with 1 where damage stays.
 */
export async function maintainVerb(given: MaintainArguments, output: Console): Promise<VerbResult> {
  const retainMs = parseDuration(given.retain, '--retain', LONGEST_RETAIN_MS);
  const rows = wholeNumber('--file-rows', given.fileRows, 1000, 10_000_000);
  const rules = { target: { ...MAINTENANCE_RULES.target, rows }, retainMs };
  const { data: root, chain } = given;
  const { plan, leftovers, done, exitCode } = await maintainLake(surroundingsOf(output), {
    ...{ root, chain, rules },
    isPlanOnly: given.dryRun,
    planned: (planned, unfinished) =>
      print({ lines: maintenancePlanLines(planned, unfinished) }, output),
    merged: (merges) => print({ lines: notMergedLines(merges) }, output),
  });
  const planned = maintenancePlanDocument(plan, leftovers);
  return {
    document: { data: root, plan: planned, done: done ?? null, exitCode },
    lines: done === undefined ? [] : maintainedLines(done.merges, done.deletes, done.checkpoints),
    exitCode,
  };
}
