import { relative } from 'node:path';
import { destination, publish } from '../../../export/destination.ts';
import { Fault } from '../../../fault.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import type { Layout } from '../../../land/storage/layout.ts';
import { packageFile } from '../../../land/storage/package-file.ts';
import { type QueryResult, query } from '../../../load/query/query.ts';
import { wholeNumber } from '../../../pipeline/syntax/fields.ts';
import { readText } from '../../../run/job/text-file.ts';
import { withWarehouseOf } from '../../../run/lake/with-warehouse.ts';
import { systemEffects } from '../../../system.ts';
import { surroundingsOf } from '../../job/console-surroundings.ts';
import { type AnswerForm, answerText, formOf } from '../../terminal/answer-form.ts';
import { answerNotes } from '../../terminal/answer-notes.ts';
import { type Console, many } from '../../terminal/console.ts';
import { type Arguments, asOf, data, textOption, toggle } from '../../terminal/options.ts';
import { withAdvice } from '../../terminal/query-advice.ts';
import type { VerbResult } from '../../terminal/verb-result.ts';

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

async function sqlOf({ sql, file }: QueryArguments, stdin: () => Promise<string>): Promise<string> {
  if ((sql === undefined) === (file === undefined)) {
    throw new Fault('usage', 'query takes one SELECT.', {
      advice: 'Give the SELECT in quotes, a .sql file, or - to read it from stdin.',
    });
  }
  const given = file ?? sql ?? '';
  if (given === STDIN) return stdin();
  return file !== undefined || FILE_NAME.test(given) ? readText(given, SQL_FILE) : given;
}

/** `windrow query`: one SELECT over the warehouse; with --json an array of row objects. */
export async function queryVerb(given: QueryArguments, output: Console): Promise<VerbResult> {
  const maxRows = wholeNumber('--max-rows', given.maxRows, 1, 100_000_000);
  const seconds = wholeNumber('--timeout', given.timeout, 1, 86_400);
  const form = formOf(given, output.isJson);
  const sql = await sqlOf(given, readStdin);
  const limits = { timeoutMs: seconds * 1000, maxRows };
  const asked = { sql, ...limits, out: given.out, force: given.force === true };
  await guarded(given, sql, output, async (paths) => {
    if (form === 'csv') return writeCsvAnswer({ ...asked, paths }, output);
    const answer = await query(paths.warehouse, sql, { ...limits, root: paths.root });
    await show(answer, form, { ...asked, paths }, output);
    for (const note of await answerNotes(sql, answer, paths)) output.note(note);
    if (answer.truncated) output.note(`Only the first ${maxRows} rows are shown: see --max-rows.`);
  });
  return { exitCode: 0 };
}

/** Rebuilds the warehouse where necessary, and adds advice to errors of the query. */
async function guarded(
  given: QueryArguments,
  sql: string,
  output: Console,
  use: (paths: Layout) => Promise<void>,
): Promise<void> {
  const lake = { root: given.data, asOf: given.asOf };
  return withWarehouseOf(lake, surroundingsOf(output), use).catch(async (error: unknown) => {
    throw await withAdvice(error, given.data, sql);
  });
}

async function show(
  answer: QueryResult,
  form: AnswerForm,
  to: Parameters<typeof writeAnswer>[1],
  output: Console,
): Promise<void> {
  const isFile = to.out !== undefined && to.out !== STDIN;
  // A file has no width to fit into.
  const { text, note } = answerText(answer, form, isFile ? undefined : output.tableWidth);
  if (isFile) await writeAnswer(text, to, output);
  else output.out(text);
  if (note !== undefined) output.note(note);
}

async function readStdin(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

interface AnswerTo {
  readonly paths: Layout;
  readonly sql: string;
  readonly timeoutMs: number;
  readonly maxRows: number;
  /** A path, or `-` for stdout; undefined for stdout, too. */
  readonly out: string | undefined;
  /** An existing file may be replaced. */
  readonly force: boolean;
}

/** Writes a text to the file of --out, whole or not at all. */
async function writeAnswer(text: string, to: AnswerTo, output: Console): Promise<void> {
  const file = to.out ?? '-';
  const options = { layout: to.paths, disk: localDisk, mayReplace: to.force };
  const place = await destination(file, options);
  try {
    await localDisk.write(place.making, `${text}\n`);
    await publish(place, localDisk);
  } finally {
    await localDisk.remove(place.making);
  }
  output.note(`Written to ${relative('', place.file)}.`);
}

/** Writes the rows of a SELECT over a warehouse as CSV, by the rules of `windrow export`. */
async function writeCsvAnswer(to: AnswerTo, output: Console): Promise<void> {
  // Loaded here because its packages are large, and a table does not need them.
  const { exportFiles } = await import('../../../export/export.ts');
  const isFile = to.out !== undefined && to.out !== '-';
  const target = isFile ? { file: to.out ?? '' } : { stream: process.stdout };
  const narrowing = { limit: to.maxRows };
  const [written] = await exportFiles({
    layout: to.paths,
    wanted: [{ name: 'query', asked: { sql: to.sql }, narrowing, ...target }],
    format: 'csv',
    mayReplace: to.force,
    isRaw: false,
    timeoutMs: to.timeoutMs,
    effects: systemEffects('warn'),
    disk: localDisk,
  });
  if (written === undefined) return;
  if (isFile) output.note(`${many(written.rows, 'row')} in ${relative('', written.file)}.`);
  for (const note of written.notes) output.note(note);
  if (written.rows === to.maxRows) output.note('There may be more rows: see --max-rows.');
}
