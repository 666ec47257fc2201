import { CsvError, parse } from 'csv-parse/sync';
import { faultOf } from '../syntax/problem.ts';

/** The text of a file, and its name for messages. */
export interface TextFile {
  readonly text: string;
  readonly file: string;
}

export interface CsvLine {
  readonly cells: readonly string[];
  /** Counted from 1; the last line of a record whose quotes hold line ends. */
  readonly line: number;
}

/** The first line by which spreadsheets name the separator. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([,;\t])"?[^\S\r\n]*(?=[\r\n]|$)/i;

/** The separator that comes first, outside of quotes and comments; a comma without one. */
function separatorIn(text: string): string {
  const rows = text.split(/[\r\n]+/).map((row) => withoutComment(row.replace(/"[^"]*"/g, '')));
  return rows.find((row) => row !== '')?.match(/[,;\t]/)?.[0] ?? ',';
}

/**
 * The lines that are neither blank nor comments. Cells are separated by the comma, semicolon or tab
 * that a first line `sep=` names, or that the first of these lines has.
 */
export function csvLinesOf({ text: source, file }: TextFile): CsvLine[] {
  const [line = '', named] = SEPARATOR_LINE.exec(source) ?? [];
  const text = source.slice(line.length);
  const lines: CsvLine[] = [];
  try {
    parse(text, {
      delimiter: named ?? separatorIn(text),
      bom: true,
      comment: '#',
      // A # within a line may belong to a label, so only whole lines are comments here.
      comment_no_infix: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      trim: true,
      on_record: (cells: string[], { lines: line }) => {
        lines.push({ cells, line });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED';
    throw faultOf(file, [
      {
        line: isOpen ? (lines.at(-1)?.line ?? 0) + 1 : Number(error['lines'] ?? 1),
        message: isOpen
          ? 'a quote that begins on this line or below is never closed'
          : 'the quotes do not enclose a whole cell',
        advice: 'Close the quote, or remove it: addresses need none.',
      },
    ]);
  }
  return lines.filter(({ cells }) => cells.some((cell) => withoutComment(cell) !== ''));
}

/** The cell without a comment at its end. */
export function withoutComment(cell: string): string {
  return cell.replace(/#[\s\S]*$/, '').trim();
}

/** The cells of a file by the names of its header. */
export interface NamedCells {
  /** The lines below the header. */
  readonly lines: readonly CsvLine[];
  /** Number of the line of the header; 1 for an empty file. */
  readonly headerLine: number;
  /** The cell of a column; '' without such a column. */
  cellOf(line: CsvLine, column: string): string;
}

/** Throws a configuration fault for a file without one of these columns. */
export function namedCells(
  source: TextFile,
  columns: readonly string[],
  example: string,
): NamedCells {
  const [header, ...lines] = csvLinesOf(source);
  const headerLine = header?.line ?? 1;
  const missing = columns.find((name) => columnCalled(name, header) === -1);
  if (missing !== undefined) {
    const message = `the file has no column ${missing}`;
    const advice = `Begin the file with a header, as in ${example}.`;
    throw faultOf(source.file, [{ line: headerLine, message, advice }]);
  }
  const cellOf = ({ cells }: CsvLine, name: string) => cells[columnCalled(name, header)] ?? '';
  return { lines, headerLine, cellOf };
}

export function columnCalled(name: string, line: CsvLine | undefined): number {
  return line?.cells.findIndex((cell) => cell.trim().toLowerCase() === name) ?? -1;
}
