import { createInterface, type Interface } from 'node:readline';
import { query } from '../../../load/query/query.ts';
import { wholeNumber } from '../../../pipeline/syntax/fields.ts';
import { withReadyWarehouse } from '../../../run/lake/with-warehouse.ts';
import type { ExitCode } from '../../../run/shell/run-document.ts';
import { answerNotes } from '../../terminal/answer-notes.ts';
import type { Console } from '../../terminal/console.ts';
import { data, textOption } from '../../terminal/options.ts';
import type { VerbOf } from '../../terminal/verb-result.ts';
import { type CompletedNames, completions, type TypedColumn } from './shell/completion.ts';
import { historyFile, keepHistory, readHistory } from './shell/history.ts';
import { Inputs } from './shell/input.ts';
import { type AskSql, Shell } from './shell/shell.ts';

export const sqlOptions = {
  options: {
    data,
    maxRows: textOption('Maximum number of rows', '1000'),
    timeout: textOption('Time limit in seconds', '60'),
  },
  examples: {
    '$0 sql': 'a shell with history and completion of views and columns',
    '$0 sql < questions.sql': 'all statements of a file, one after the other',
  },
};

const PROMPT = 'windrow> ';
const CONTINUED = '    ...> ';

/** `windrow sql`: an interactive shell. Each SELECT is answered as by `windrow query`. */
export const sqlVerb: VerbOf<typeof sqlOptions> = async (input, output) => {
  const maxRows = wholeNumber('--max-rows', input.maxRows, 1, 100_000_000);
  const seconds = wholeNumber('--timeout', input.timeout, 1, 86_400);
  let stopping = new AbortController();
  const ask: AskSql = (sql) =>
    withReadyWarehouse(input.data, output, async (paths) => {
      stopping = new AbortController();
      const { signal: stop } = stopping;
      const limits = { timeoutMs: seconds * 1000, maxRows, root: paths.root, stop };
      const answer = await query(paths.warehouse, sql, limits);
      return { ...answer, notes: await answerNotes(sql, answer, paths) };
    });
  const names = await namesIn(ask);
  const { now } = output.effects;
  const shell = new Shell({ ask, names, output, now, form: output.isJson ? 'json' : 'table' });
  const stop = (): void => stopping.abort(new Error('interrupted'));
  const isInteractive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (isInteractive) return { exitCode: await converse(shell, names, output, stop) };
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  return { exitCode: (await shell.answerAll(lines)) ?? 0 };
};

async function namesIn(ask: AskSql): Promise<CompletedNames> {
  const { rows } = await ask(`
    SELECT if(schema_name = 'main', '', schema_name || '.') || table_name AS view,
      list({ name: column_name, type: data_type } ORDER BY column_index) AS columns
    FROM duckdb_columns()
    WHERE database_name = current_database() AND NOT internal
      AND schema_name NOT IN ('files', 'curated_files', 'known')
    GROUP BY schema_name, table_name ORDER BY schema_name <> 'main', 1`);
  const columns = new Map(
    rows.map((row) => [String(row['view']), row['columns'] as TypedColumn[]]),
  );
  const macros = await ask(`
    SELECT DISTINCT function_name || '(' AS macro FROM duckdb_functions()
    WHERE function_type IN ('macro', 'table_macro') AND NOT internal
      AND database_name = current_database() ORDER BY 1`);
  return {
    views: [...columns.keys()],
    columns,
    macros: macros.rows.map(({ macro }) => String(macro)),
  };
}

async function converse(
  shell: Shell,
  names: CompletedNames,
  output: Console,
  stop: () => void,
): Promise<ExitCode> {
  const file = historyFile(process.env);
  const inputs = new Inputs();
  let lines = await readHistory(file);
  let isAsking = false;
  const terminal: Interface = createInterface({
    input: process.stdin,
    output: process.stdout,
    history: lines,
    prompt: PROMPT,
    completer: (line: string) => completions(line, inputs.isOpen ? ' ' : '', names),
  });
  terminal.on('history', (history) => {
    lines = history;
  });
  terminal.on('SIGINT', () => {
    if (isAsking) return stop();
    inputs.rest();
    output.note('');
    prompt();
  });
  const prompt = (): void => {
    terminal.setPrompt(inputs.isOpen ? CONTINUED : PROMPT);
    terminal.prompt();
  };
  output.note('windrow: .help shows the commands, .quit leaves.');
  prompt();
  for await (const line of terminal) {
    const input = inputs.take(line);
    if (input !== undefined) {
      isAsking = true;
      const code = await shell.answer(input);
      isAsking = false;
      if (code === undefined) break;
    }
    prompt();
  }
  terminal.close();
  await keepHistory(file, lines);
  return 0;
}
