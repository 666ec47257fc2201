import type { Argv } from 'yargs';
import { layout } from '../land/layout.ts';
import { query } from '../load/query.ts';
import { textTable } from '../load/text-table.ts';
import type { Console } from './console.ts';
import { data, wholeNumber, withExitCodes } from './options.ts';
import type { ExitCode } from './report.ts';

export function queryOptions(args: Argv) {
  return withExitCodes(args)
    .positional('sql', { type: 'string', demandOption: true, describe: 'One SELECT' })
    .options({
      data,
      'max-rows': {
        default: 10_000,
        describe: 'Rows at most',
        coerce: wholeNumber('--max-rows', 1, 100_000_000),
      },
      timeout: {
        default: 60,
        describe: 'Seconds at most',
        coerce: wholeNumber('--timeout', 1, 86_400),
      },
    })
    .example('$0 query "SELECT * FROM coverage"', 'a view of the warehouse')
    .example('$0 query "FROM lake.transactions" --json', 'a dataset, as JSON');
}

export interface QueryArguments {
  readonly sql: string;
  readonly data: string;
  readonly maxRows: number;
  readonly timeout: number;
}

/** `windrow query`: one SELECT over the warehouse; with --json an array of row objects. */
export async function queryVerb(given: QueryArguments, output: Console): Promise<ExitCode> {
  const { warehouse } = layout(given.data);
  const answer = await query(warehouse, given.sql, {
    timeoutMs: given.timeout * 1000,
    maxRows: given.maxRows,
  });
  if (output.isJson) output.out(JSON.stringify(answer.rows));
  else output.out(textTable(answer.columns, answer.rows));
  if (answer.truncated) output.note(`Only the first ${given.maxRows} rows: see --max-rows.`);
  return 0;
}
