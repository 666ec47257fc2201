import type { QueryColumn, QueryRow } from './query.ts';
import { isNumber, textTable, visibleText, widthOf } from './text-table.ts';

/** Cells of text are cut to the widest of these at which the table fits. */
const CELL_WIDTHS = [100, 66, 42, 30, 20, 14];

export interface FittedTable {
  readonly text: string;
  /** Names of the columns that had no room. */
  readonly hidden: readonly string[];
}

/**
 * A text table of at most `width` columns of a terminal. Long text is shortened first; then columns
 * from the middle give way to one column `…`. Numbers are never cut.
 */
export function fittedTable(
  columns: readonly QueryColumn[],
  rows: readonly QueryRow[],
  width: number,
): FittedTable {
  for (const cellWidth of CELL_WIDTHS) {
    const text = textTable(columns, rows, cellWidth);
    if (tableWidth(text) <= width) return { text, hidden: [] };
  }
  const narrow = CELL_WIDTHS.at(-1) ?? 1;
  for (let shown = columns.length - 1; shown > 1; shown -= 1) {
    const left = columns.slice(0, Math.ceil(shown / 2));
    const right = columns.slice(columns.length - Math.floor(shown / 2));
    const text = textTable([...left, GAP, ...right], rows.map(withGap), narrow);
    const hidden = columns.slice(left.length, columns.length - right.length);
    if (tableWidth(text) <= width) return { text, hidden: hidden.map(({ name }) => name) };
  }
  const text = textTable([...columns.slice(0, 1), GAP], rows.map(withGap), narrow);
  return { text, hidden: columns.slice(1).map(({ name }) => name) };
}

const GAP: QueryColumn = { name: '…', type: 'VARCHAR' };

function withGap(row: QueryRow): QueryRow {
  return { ...row, [GAP.name]: '…' };
}

function tableWidth(text: string): number {
  return text.split('\n').reduce((most, line) => Math.max(most, widthOf(line)), 0);
}

/** One line per value, whole, under a heading per row: for rows with many columns. */
export function verticalText(columns: readonly QueryColumn[], rows: readonly QueryRow[]): string {
  const nameWidth = columns.reduce((most, { name }) => Math.max(most, widthOf(name)), 0);
  const blocks = rows.map((row, i) => {
    const lines = columns.map(({ name }) => {
      const space = ' '.repeat(nameWidth - widthOf(name));
      return `${space}${visibleText(name)}: ${valueText(row[name])}`;
    });
    return [`-- row ${i + 1} --`, ...lines].join('\n');
  });
  const count = rows.length === 1 ? '(1 row)' : `(${rows.length} rows)`;
  return [...blocks, count].join('\n');
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return visibleText(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Characters that start something in Markdown or HTML, and dots and slashes of addresses. */
const ACTIVE = /[\\`*[\]<>|&!~@]|:\/\/|www\./g;

/** A table in GitHub's Markdown, for notes and issues. Values are shown as they are written. */
export function markdownTable(columns: readonly QueryColumn[], rows: readonly QueryRow[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const escaped = (text: string): string =>
    text.replaceAll(ACTIVE, (match) => match.replace(/\W/g, '\\$&'));
  return [
    line(columns.map(({ name }) => escaped(visibleText(name)))),
    line(columns.map(({ type }) => (isNumber(type) ? '---:' : '---'))),
    ...rows.map((row) => line(columns.map(({ name }) => escaped(valueText(row[name]))))),
  ].join('\n');
}
