import { CsvError, parse } from 'csv-parse/sync';
import { wrongChecksum } from './checksum.ts';
import type { Problem } from './problem.ts';
import { faultOf } from './problem.ts';

/** A file as its reader hands it over: the text, and the name to use in messages. */
export interface TextFile {
  readonly text: string;
  readonly file: string;
}

export interface AddressList {
  /** Lower-case, sorted, each once. */
  readonly addresses: readonly string[];
  /** How many were given again, in whatever spelling. */
  readonly duplicates: number;
  /** Addresses in mixed case whose EIP-55 checksum is wrong, each once, in the given order. */
  readonly misspelled: readonly MisspelledAddress[];
}

interface MisspelledAddress {
  readonly given: string;
  /** With the right checksum. */
  readonly right: string;
}

export interface AddressFile extends AddressList {
  /**
   * What the column called `label` says of each address, '' where its cell is empty. Without such a
   * column there are none. Of an address that is given again, the last label counts.
   */
  readonly labels: ReadonlyMap<string, string>;
}

export const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const HEADER = 'address';
const LABEL_HEADER = 'label';
const LISTED_PROBLEMS = 10;

/** Lower-cases, sorts and counts addresses that are already known to be well formed. */
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
  /** Counted from 1; the last one where quotes hold line ends. */
  readonly line: number;
}

/** The lines that hold something, without comments. */
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
        what: isOpen
          ? 'a quote that begins on this line or below is never closed'
          : 'the quotes do not enclose a whole cell',
        advice: 'Close the quote, or remove it: addresses need none.',
      },
    ]);
  }
  return lines.filter(({ cells }) => cells.some((cell) => withoutComment(cell) !== ''));
}

/** What stands before a comment at the end of the cell; no address holds a #. */
function withoutComment(cell: string): string {
  return cell.replace(/#[\s\S]*$/, '').trim();
}

function columnCalled(name: string, line: Line | undefined): number {
  return line?.cells.findIndex((cell) => cell.toLowerCase() === name) ?? -1;
}

function problemOf(cell: string, line: number, mayBeHeader: boolean): Problem {
  const advice = 'Write 0x and 40 hexadecimal digits, or remove the line.';
  if (cell === '') return { line, what: 'there is no address on this line', advice };
  const header = mayBeHeader ? ' A header has to name the column: address.' : '';
  return { line, what: 'this is not an address', given: cell, advice: advice + header };
}

/**
 * The addresses of a CSV text: those of the column called `address` if the first line names one,
 * else of the first column; and their labels, if that line names a column `label` as well. Other
 * columns, blank lines and lines that begin with # are ignored.
 * Throws a configuration fault that lists the first 10 malformed lines, and one for no address.
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
    throw faultOf(source.file, [{ line: 1, what: 'the file holds no address', advice }]);
  }
  return { ...addressList(found), labels };
}
