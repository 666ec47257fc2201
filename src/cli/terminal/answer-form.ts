import { extname } from 'node:path';
import { Fault } from '../../fault.ts';
import { fittedTable, markdownTable, verticalText } from '../../load/query/fitted-table.ts';
import type { QueryResult } from '../../load/query/query.ts';
import { textTable } from '../../load/query/text-table.ts';

/** Forms in which an answer is printed or written. */
export type AnswerForm = 'table' | 'vertical' | 'markdown' | 'json' | 'csv';

/** Forms that are options of a query. */
const TOGGLES = ['csv', 'markdown', 'vertical'] as const;

/** Forms by the ending of a file. */
const ENDINGS: Readonly<Record<string, AnswerForm>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.md': 'markdown',
  '.txt': 'table',
};

/** The form that the options name, or the ending of --out. Throws Fault('usage') for several. */
export function formOf(
  input: { readonly out?: string | undefined } & Partial<Record<(typeof TOGGLES)[number], boolean>>,
  isJson: boolean,
): AnswerForm {
  const named = TOGGLES.filter((form) => input[form] === true);
  const forms: AnswerForm[] = isJson ? ['json', ...named] : named;
  const [form] = forms;
  if (forms.length > 1) {
    throw new Fault('usage', `The answer cannot be printed as ${forms.join(' and ')}.`, {
      advice: `Give one of --${forms.join(', --')}.`,
    });
  }
  if (form !== undefined) return form;
  if (input.out === undefined || input.out === '-') return 'table';
  const fileForm = ENDINGS[extname(input.out).toLowerCase()];
  if (fileForm !== undefined) return fileForm;
  throw new Fault('usage', `--out has no known file ending (${input.out}).`, {
    advice:
      `Use one of ${Object.keys(ENDINGS).join(', ')}, or windrow export --sql for Parquet, XLSX, ` +
      'JSON Lines and Arrow.',
  });
}

/** An answer as text. The note names columns that did not fit into `width`. */
export function answerText(
  { columns, rows }: QueryResult,
  form: AnswerForm,
  width: number | undefined,
): { readonly text: string; readonly note?: string } {
  if (form === 'json') return { text: JSON.stringify(rows) };
  if (form === 'vertical') return { text: verticalText(columns, rows) };
  if (form === 'markdown') return { text: markdownTable(columns, rows) };
  if (width === undefined) return { text: textTable(columns, rows) };
  const { text, hidden } = fittedTable(columns, rows, width);
  if (hidden.length === 0) return { text };
  const note =
    `${hidden.length} of ${columns.length} columns are hidden (${hidden.slice(0, 5).join(', ')}` +
    `${hidden.length > 5 ? ', ...' : ''}): see --vertical, or name columns in the SELECT.`;
  return { text, note };
}
