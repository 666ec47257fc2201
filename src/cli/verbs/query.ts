import type { Argv } from 'yargs';
import { Fault } from '../../fault.ts';
import { type QueryResult, query } from '../../load/query/query.ts';
import { textTable } from '../../load/query/text-table.ts';
import { readText } from '../job/text-file.ts';
import { withWarehouseOf } from '../job/with-warehouse.ts';
import type { Console } from '../terminal/console.ts';
import { macroNotes } from '../terminal/macro-notes.ts';
import { asOf, data, wholeNumber, withExitCodes } from '../terminal/options.ts';
import { capitalsHint, withAdvice } from '../terminal/query-advice.ts';
import type { ExitCode } from '../terminal/report.ts';

export function queryOptions(args: Argv) {
  return withExitCodes(args)
    .positional('sql', { type: 'string', describe: 'One SELECT' })
    .options({
      data,
      ...asOf,
      file: { type: 'string', describe: 'File that holds the SELECT' },
      'max-rows': { type: 'string', default: '10000', describe: 'Maximum number of rows' },
      timeout: { type: 'string', default: '60', describe: 'Time limit in seconds' },
    })
    .example('$0 query "SELECT * FROM coverage"', 'a view of the warehouse')
    .example(
      '$0 query --file sql/examples/token_net_flow.sql',
      'an example that comes with windrow',
    )
    .example('$0 query "FROM lake.transactions" --json', 'a raw table, as JSON')
    .example('$0 query "SELECT count(*) FROM transactions" --as-of 2026-01-31', 'as it was then');
}

export interface QueryArguments {
  readonly sql?: string | undefined;
  readonly file?: string | undefined;
  readonly data: string;
  readonly asOf?: string | undefined;
  readonly maxRows: string;
  readonly timeout: string;
}

const SQL_FILE = {
  noun: 'SQL file',
  advice:
    'Give the path of a file that holds one SELECT, e.g. sql/examples/token_net_flow.sql, or the ' +
    'SELECT itself in quotes.',
  name: /\.sql$/,
};

async function sqlOf({ sql, file }: QueryArguments): Promise<string> {
  if ((sql === undefined) === (file === undefined)) {
    throw new Fault('usage', 'query takes one SELECT.', {
      advice: 'Give the SELECT in quotes, or --file NAME.',
    });
  }
  return file === undefined ? (sql ?? '') : readText(file, SQL_FILE);
}

/** `windrow query`: one SELECT over the warehouse; with --json an array of row objects. */
export async function queryVerb(given: QueryArguments, output: Console): Promise<ExitCode> {
  const maxRows = wholeNumber('--max-rows', given.maxRows, 1, 100_000_000);
  const seconds = wholeNumber('--timeout', given.timeout, 1, 86_400);
  const limits = { timeoutMs: seconds * 1000, maxRows, root: given.data };
  const sql = await sqlOf(given);
  const ask = async (warehouse: string): Promise<{ answer: QueryResult; notes: string[] }> => {
    const answer = await query(warehouse, sql, limits);
    return { answer, notes: await macroNotes(sql, warehouse) };
  };
  const { answer, notes } = await withWarehouseOf(given, output, ask).catch(async (error) => {
    throw await withAdvice(error, given.data, sql);
  });
  if (output.isJson) output.out(JSON.stringify(answer.rows));
  else output.out(textTable(answer.columns, answer.rows));
  const hint = capitalsHint(sql, answer.rows);
  if (hint !== undefined) output.note(hint);
  for (const note of notes) output.note(note);
  if (answer.truncated) output.note(`Only the first ${maxRows} rows are shown: see --max-rows.`);
  return 0;
}
