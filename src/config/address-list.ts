import { CsvError, parse } from 'csv-parse/sync';
import { ADDRESS } from './address.ts';
import { wrongChecksum } from './checksum.ts';
import type { Problem } from './problem.ts';
import { faultOf } from './problem.ts';

/** The text of a file, and its name for messages. */
export interface TextFile {
  readonly text: string;
  readonly file: string;
}

export interface AddressList {
  /** Lower-case, sorted, each once. */
  readonly addresses: readonly string[];
  /** Number of repeated addresses. Upper and lower case count as equal. */
  readonly duplicates: number;
  /** Addresses in mixed case with a wrong EIP-55 checksum, each once, in the given order. */
  readonly misspelled: readonly MisspelledAddress[];
}

interface MisspelledAddress {
  readonly given: string;
  /** The spelling with the right checksum. */
  readonly right: string;
}

export interface AddressFile extends AddressList {
  /**
   * The label of each address, from the column `label`; '' for an empty cell. Empty without such a
   * column. The last label of a repeated address counts.
   */
  readonly labels: ReadonlyMap<string, string>;
}

const HEADER = 'address';
const LABEL_HEADER = 'label';
const LISTED_PROBLEMS = 10;

/** Lower-cases, sorts and counts addresses. The caller has checked their format. */
export function addressList(given: readonly string[]): AddressList {
  const addresses = [...new Set(given.map((one) => one.toLowerCase()))].sort();
  const misspelled = [...new Set(given)].flatMap((each) => {
    const right = wrongChecksum(each);
    return right === undefined ? [] : [{ given: each, right }];
  });
  return { addresses, duplicates: given.length - addresses.length, misspelled };
}

interface Line {
  readonly cells: readonly string[];
  /** Counted from 1; the last line of a record whose quotes hold line ends. */
  readonly line: number;
}

/** The lines that are neither blank nor comments. */
function linesOf({ text, file }: TextFile): Line[] {
  const lines: Line[] = [];
  try {
    parse(text, {
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
function withoutComment(cell: string): string {
  return cell.replace(/#[\s\S]*$/, '').trim();
}

function columnCalled(name: string, line: Line | undefined): number {
  return line?.cells.findIndex((cell) => cell.toLowerCase() === name) ?? -1;
}

function problemOf(cell: string, line: number, mayBeHeader: boolean): Problem {
  const advice = 'Write 0x and 40 hexadecimal digits, or remove the line.';
  if (cell === '') return { line, message: 'there is no address on this line', advice };
  const header = mayBeHeader ? ' A header has to name the column: address.' : '';
  return { line, message: 'this is not an address', given: cell, advice: advice + header };
}

/**
 * The addresses of a CSV text: the column `address` if the first line is a header with that name,
 * else the first column. A header may also name a column `label`. Other columns, blank lines and
 * lines that begin with # are ignored.
 * Throws a configuration fault that lists the first 10 malformed lines, and one for a file without
 * addresses.
 */
export function parseAddressList(source: TextFile): AddressFile {
  const lines = linesOf(source);
  const header = columnCalled(HEADER, lines[0]);
  const labelColumn = header === -1 ? -1 : columnCalled(LABEL_HEADER, lines[0]);
  const column = Math.max(header, 0);
  const first = header === -1 ? 0 : 1;
  const problems: Problem[] = [];
  const found: string[] = [];
  const labels = new Map<string, string>();
  for (const [index, { cells, line }] of lines.slice(first).entries()) {
    const cell = withoutComment(cells[column] ?? '');
    if (!ADDRESS.test(cell)) {
      problems.push(problemOf(cell, line, index + first === 0));
      continue;
    }
    found.push(cell);
    if (labelColumn !== -1) labels.set(cell.toLowerCase(), cells[labelColumn] ?? '');
  }
  if (problems.length > 0) throw faultOf(source.file, problems, LISTED_PROBLEMS);
  if (found.length === 0) {
    const advice = 'Write one address per line: 0x and 40 hexadecimal digits.';
    throw faultOf(source.file, [{ line: 1, message: 'the file holds no address', advice }]);
  }
  return { ...addressList(found), labels };
}
