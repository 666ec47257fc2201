import { readFile } from 'node:fs/promises';
import type { Argv } from 'yargs';
import { Fault } from '../../fault.ts';
import { layout } from '../../land/storage/layout.ts';
import { type QueryResult, query } from '../../load/query/query.ts';
import { textTable } from '../../load/query/text-table.ts';
import { withReadyWarehouse } from '../job/ready-warehouse.ts';
import type { Console } from '../terminal/console.ts';
import { data, wholeNumber, withExitCodes } from '../terminal/options.ts';
import { capitalsHint, withAdvice } from '../terminal/query-advice.ts';
import type { ExitCode } from '../terminal/report.ts';

export function queryOptions(args: Argv) {
  return withExitCodes(args)
    .positional('sql', { type: 'string', describe: 'One SELECT' })
    .options({
      data,
      file: { type: 'string', describe: 'File that holds the SELECT, in its place' },
      'max-rows': { type: 'string', default: '10000', describe: 'Rows at most' },
      timeout: { type: 'string', default: '60', describe: 'Seconds at most' },
    })
    .example('$0 query "SELECT * FROM coverage"', 'a view of the warehouse')
    .example('$0 query --file sql/examples/token_net_flow.sql', 'a question that is shipped')
    .example('$0 query "FROM lake.transactions" --json', 'a dataset, as JSON');
}

export interface QueryArguments {
  readonly sql?: string | undefined;
  readonly file?: string | undefined;
  readonly data: string;
  readonly maxRows: string;
  readonly timeout: string;
}

async function sqlOf({ sql, file }: QueryArguments): Promise<string> {
  if ((sql === undefined) === (file === undefined)) {
    throw new Fault('usage', 'Ask one question.', {
      advice: 'Give either the SELECT itself, in quotes, or --file NAME.',
    });
  }
  return file === undefined ? (sql ?? '') : readFile(file, 'utf8');
}

/** `windrow query`: one SELECT over the warehouse; with --json an array of row objects. */
export async function queryVerb(given: QueryArguments, output: Console): Promise<ExitCode> {
  const maxRows = wholeNumber('--max-rows', given.maxRows, 1, 100_000_000);
  const seconds = wholeNumber('--timeout', given.timeout, 1, 86_400);
  const { warehouse } = layout(given.data);
  const limits = { timeoutMs: seconds * 1000, maxRows };
  const sql = await sqlOf(given);
  const ask = (): Promise<QueryResult> => query(warehouse, sql, limits);
  const answer = await withReadyWarehouse(given.data, output, ask).catch((error: unknown) => {
    throw withAdvice(error, given.data);
  });
  if (output.isJson) output.out(JSON.stringify(answer.rows));
  else output.out(textTable(answer.columns, answer.rows));
  const hint = capitalsHint(sql, answer.rows);
  if (hint !== undefined) output.note(hint);
  if (answer.truncated) output.note(`Only the first ${maxRows} rows: see --max-rows.`);
  return 0;
}
