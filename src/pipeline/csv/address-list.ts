import { ADDRESS } from '../syntax/address.ts';
import { wrongChecksum } from '../syntax/checksum.ts';
import type { Problem } from '../syntax/problem.ts';
import { faultOf } from '../syntax/problem.ts';
import { columnCalled, csvLinesOf, type TextFile, withoutComment } from './csv-lines.ts';

export interface AddressList {
  /** Lower-case, sorted, each once. */
  readonly addresses: readonly string[];
  /** Number of repeated addresses. Upper and lower case count as equal. */
  readonly duplicates: number;
  /** Addresses in mixed case with a wrong EIP-55 checksum, each once, in the given order. */
  readonly misspelled: readonly MisspelledAddress[];
}

interface MisspelledAddress {
  readonly text: string;
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
export function addressList(texts: readonly string[]): AddressList {
  const addresses = [...new Set(texts.map((one) => one.toLowerCase()))].sort();
  const misspelled = [...new Set(texts)].flatMap((text) => {
    const right = wrongChecksum(text);
    return right === undefined ? [] : [{ text, right }];
  });
  return { addresses, duplicates: texts.length - addresses.length, misspelled };
}

function problemOf(cell: string, line: number, mayBeHeader: boolean): Problem {
  const advice = 'Write 0x and 40 hexadecimal digits, or remove the line.';
  if (cell === '') return { line, message: 'there is no address on this line', advice };
  if (/^0x[0-9a-f]{40}[^0-9a-z]/i.test(cell)) {
    const remedy = 'Write one address per line, and a comma, semicolon or tab between cells.';
    return { line, message: 'this cell has more than an address', source: cell, advice: remedy };
  }
  const header = mayBeHeader ? ' A header has to name the column: address.' : '';
  return { line, message: 'this is not an address', source: cell, advice: advice + header };
}

/**
 * The addresses of a CSV text: the column `address` if the first line is a header with that name,
 * else the first column. A header may also name a column `label`. Other columns, blank lines and
 * lines that begin with # are ignored. Throws a configuration fault for a header below other lines,
 * one that lists the first 10 malformed lines, and one for a file without addresses.
 */
export function parseAddressList(source: TextFile): AddressFile {
  const lines = csvLinesOf(source);
  const header = columnCalled(HEADER, lines[0]);
  const firstData = lines.findIndex(({ cells }) => cells.some((cell) => ADDRESS.test(cell)));
  const above = lines.slice(1, Math.max(firstData, 0));
  const later = above.find((line) => columnCalled(HEADER, line) !== -1);
  if (header === -1 && later !== undefined) {
    const message = `the header is on line ${later.line}, below other lines`;
    const advice = 'Remove the lines above the header, such as the title of a table.';
    throw faultOf(source.file, [{ line: lines[0]?.line ?? 1, message, advice }]);
  }
  const labelColumn = header === -1 ? -1 : columnCalled(LABEL_HEADER, lines[0]);
  const column = Math.max(header, 0);
  const first = header === -1 ? 0 : 1;
  const problems: Problem[] = [];
  const addresses: string[] = [];
  const labels = new Map<string, string>();
  for (const [index, { cells, line }] of lines.slice(first).entries()) {
    const cell = withoutComment(cells[column] ?? '');
    if (!ADDRESS.test(cell)) {
      problems.push(problemOf(cell, line, index + first === 0));
      continue;
    }
    addresses.push(cell);
    if (labelColumn !== -1) labels.set(cell.toLowerCase(), cells[labelColumn] ?? '');
  }
  if (problems.length > 0) throw faultOf(source.file, problems, LISTED_PROBLEMS);
  if (addresses.length === 0) {
    const advice = 'Write one address per line: 0x and 40 hexadecimal digits.';
    throw faultOf(source.file, [{ line: 1, message: 'the file holds no address', advice }]);
  }
  return { ...addressList(addresses), labels };
}
