import { ADDRESS } from '../syntax/address.ts';
import type { Problem } from '../syntax/problem.ts';
import { problemLines } from '../syntax/problem.ts';
import { type CsvLine, namedCells, type TextFile } from './csv-lines.ts';

/** CSV files with names for the views: tokens and methods. Malformed lines are left out. */

/** The names of a file, and a warning for each of the first 10 lines that are left out. */
export interface CsvNames<V> {
  readonly names: ReadonlyMap<string, V>;
  readonly warnings: readonly string[];
}

/** How a service states the amounts of a token. */
export type AmountUnit = 'whole' | 'raw';

export interface TokenName {
  /** '' if the file has none. */
  readonly symbol: string;
  /** Decimal places of the token; null if the file has none. */
  readonly decimals: number | null;
  /** `whole`: amounts are in whole tokens; `raw`: in the smallest unit. */
  readonly amounts: AmountUnit;
}

const LISTED_PROBLEMS = 10;
/** Amounts have at most 78 digits. */
const MOST_DECIMALS = 77;
const METHOD = /^0x[0-9a-f]{8}$/i;

/**
 * The tokens of a CSV text by lower-case address. The header names the column `address` and any of
 * `symbol`, `decimals` and `amounts`; other columns are ignored. The last line of a repeated
 * address counts. Throws a configuration fault for a file without the column `address`.
 */
export function parseTokenNames(source: TextFile): CsvNames<TokenName> {
  const { lines, cellOf } = namedCells(source, ['address'], 'address,symbol,decimals');
  const problems: Problem[] = [];
  const tokens = new Map<string, TokenName>();
  for (const line of lines) {
    const address = cellOf(line, 'address');
    const decimals = cellOf(line, 'decimals');
    const amounts = cellOf(line, 'amounts').toLowerCase() || 'whole';
    if (!ADDRESS.test(address)) {
      const advice = 'Write the contract as 0x and 40 hexadecimal digits, or remove the line.';
      problems.push(problemOf(line, 'this is not an address', address, advice));
    } else if (!isDecimals(decimals)) {
      const advice = `Write the decimal places as a number from 0 to ${MOST_DECIMALS}, or nothing.`;
      problems.push(problemOf(line, 'this is not a number of decimals', decimals, advice));
    } else if (amounts !== 'whole' && amounts !== 'raw') {
      const advice = 'Write whole (amounts in whole tokens) or raw (in the smallest unit).';
      problems.push(problemOf(line, 'this is not a unit of amounts', amounts, advice));
    } else {
      const symbol = cellOf(line, 'symbol');
      const places = decimals === '' ? null : Number(decimals);
      tokens.set(address.toLowerCase(), { symbol, decimals: places, amounts });
    }
  }
  return { names: tokens, warnings: warningsOf(source, problems) };
}

/**
 * The names of methods of a CSV text by lower-case identifier, the first four bytes of a call. The
 * header names the columns `method_id` and `name`. The last line of a repeated identifier counts.
 * Throws a configuration fault for a file without the column `method_id`.
 */
export function parseMethodNames(source: TextFile): CsvNames<string> {
  const { lines, cellOf } = namedCells(source, ['method_id'], 'method_id,name');
  const problems: Problem[] = [];
  const methods = new Map<string, string>();
  for (const line of lines) {
    const method = cellOf(line, 'method_id');
    if (METHOD.test(method)) methods.set(method.toLowerCase(), cellOf(line, 'name'));
    else {
      const advice = 'Write 0x and 8 hexadecimal digits, as in 0xa9059cbb, or remove the line.';
      problems.push(problemOf(line, 'this is not the identifier of a method', method, advice));
    }
  }
  return { names: methods, warnings: warningsOf(source, problems) };
}

function warningsOf({ file }: TextFile, problems: readonly Problem[]): string[] {
  return problemLines(file, problems, LISTED_PROBLEMS).map((line) => `A line is left out: ${line}`);
}

function isDecimals(cell: string): boolean {
  return cell === '' || (/^\d{1,2}$/.test(cell) && Number(cell) <= MOST_DECIMALS);
}

function problemOf({ line }: CsvLine, message: string, cell: string, advice: string): Problem {
  return { line, message, ...(cell === '' ? {} : { source: cell }), advice };
}
