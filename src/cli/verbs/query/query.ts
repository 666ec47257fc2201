import { relative } from 'node:path';
import { writeWhole } from '../../../export/destination.ts';
import type { ExportJob } from '../../../export/export.ts';
import { Fault } from '../../../fault.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import type { Layout } from '../../../land/storage/layout.ts';
import { packageFile } from '../../../land/storage/package-file.ts';
import { query } from '../../../load/query/query.ts';
import { wholeNumber } from '../../../pipeline/syntax/fields.ts';
import { readText } from '../../../run/job/text-file.ts';
import { withWarehouseOf } from '../../../run/lake/with-warehouse.ts';
import { answerText, formOf } from '../../terminal/answer-form.ts';
import { answerNotes } from '../../terminal/answer-notes.ts';
import { type Console, many } from '../../terminal/console.ts';
import { type Arguments, asOf, data, textOption, toggle } from '../../terminal/options.ts';
import type { VerbOf } from '../../terminal/verb-result.ts';

export const queryOptions = {
  options: {
    sql: textOption('One SELECT, a .sql file, or - for stdin'),
    data,
    asOf,
    file: textOption('File that holds the SELECT; - for stdin'),
    csv: toggle('Print CSV that spreadsheets read'),
    markdown: toggle('Print a table in Markdown'),
    vertical: toggle('Print one value per line, whole'),
    out: textOption('File to write instead of printing; - for stdout'),
    force: toggle('Replace an existing --out'),
    maxRows: textOption('Maximum number of rows', '10000'),
    timeout: textOption('Time limit in seconds', '60'),
  },
  examples: {
    '$0 query "SELECT * FROM coverage"': 'a view of the warehouse',
    '$0 query sql/examples/token_net_flow.sql': 'an example that comes with windrow',
    '$0 query "FROM lake.transactions" --json': 'a raw table, as JSON',
    '$0 query "FROM blocks" --as-of 2026-01-31': 'as it was then',
    '$0 query - --csv --out fees.csv < fees.sql': 'a spreadsheet of a query on stdin',
  },
};

export type QueryArguments = Arguments<typeof queryOptions>;

const SQL_FILE = {
  noun: 'SQL file',
  advice:
    'Give the path of a file that holds one SELECT, or the SELECT itself in quotes. Examples are ' +
    `in ${packageFile('sql/examples/')}.`,
  name: /\.sql$/,
};

/** A positional argument that can only be the name of a file. */
const FILE_NAME = /^\S+\.sql$/i;
const STDIN = '-';

async function sqlOf({ sql, file }: QueryArguments): Promise<string> {
  const source = file ?? sql;
  if (source === undefined || (sql !== undefined && file !== undefined)) {
    throw new Fault('usage', 'query takes one SELECT.', {
      advice: 'Give the SELECT in quotes, a .sql file, or - to read it from stdin.',
    });
  }
  if (source === STDIN) return readStdin();
  return file !== undefined || FILE_NAME.test(source) ? readText(source, SQL_FILE) : source;
}

/** `windrow query`: one SELECT over the warehouse; with --json an array of row objects. */
export const queryVerb: VerbOf<typeof queryOptions> = async (input, output) => {
  const maxRows = wholeNumber('--max-rows', input.maxRows, 1, 100_000_000);
  const seconds = wholeNumber('--timeout', input.timeout, 1, 86_400);
  const form = formOf(input, output.isJson);
  const sql = await sqlOf(input);
  const limits = { timeoutMs: seconds * 1000, maxRows };
  const file = input.out === STDIN ? undefined : input.out;
  const answer = async (paths: Layout): Promise<void> => {
    const place = { layout: paths, disk: localDisk, mayReplace: input.force };
    if (form === 'csv') {
      const { effects } = output;
      return writeCsv({ ...limits, ...place, effects, isRaw: false }, { sql, file }, output);
    }
    const result = await query(paths.warehouse, sql, { ...limits, root: paths.root });
    // A file has no width to fit into.
    const { text, note } = answerText(result, form, file ? undefined : output.tableWidth);
    if (file === undefined) output.out(text);
    else {
      const written = await writeWhole(file, `${text}\n`, place);
      output.note(`Written to ${relative('', written)}.`);
    }
    if (note !== undefined) output.note(note);
    for (const line of await answerNotes(sql, result, paths)) output.note(line);
    if (result.truncated) output.note(`Only the first ${maxRows} rows are shown: see --max-rows.`);
  };
  const lake = { root: input.data, asOf: input.asOf };
  await withWarehouseOf(lake, output, answer);
  return { exitCode: 0 };
};

async function readStdin(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** Writes the rows of a SELECT as CSV, by the rules of `windrow export`. */
async function writeCsv(
  { maxRows, ...job }: Omit<ExportJob, 'wanted' | 'format'> & { readonly maxRows: number },
  { sql, file }: { readonly sql: string; readonly file: string | undefined },
  output: Console,
): Promise<void> {
  // Loaded here because its packages are large, and a table does not need them.
  const { exportFiles } = await import('../../../export/export.ts');
  const target = file === undefined ? { stream: process.stdout } : { file };
  const wanted = { name: 'query', source: { sql }, narrowing: { limit: maxRows }, ...target };
  const [written] = await exportFiles({ ...job, wanted: [wanted], format: 'csv' });
  if (written === undefined) return;
  if (file !== undefined)
    output.note(`${many(written.rows, 'row')} in ${relative('', written.file)}.`);
  for (const note of written.notes) output.note(note);
  if (written.rows === maxRows) output.note('There may be more rows: see --max-rows.');
}
