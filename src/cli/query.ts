import { layout } from '../land/layout.ts';
import { query } from '../load/query.ts';
import { textTable } from '../load/text-table.ts';
import type { Console } from './console.ts';
import type { ExitCode } from './report.ts';

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
