import { DuckDBTypeId } from '@duckdb/node-api';
import { identifier } from '../../land/storage/sql-text.ts';
import type { PreparedSelect, SelectedColumn } from '../../load/query/stream.ts';
import { columnsWith } from './exact-types.ts';

/**
 * Spreadsheets keep 15 significant digits of a number, drop leading zeros and read `1e5` as
 * 100,000. Columns with such values are text for them, as a whole, so that one column has one type.
 */

const EXACT_DIGITS = 15;

/** Numbers of more digits than spreadsheets keep. Floating-point numbers are rounded already. */
const LONG_TYPES: readonly DuckDBTypeId[] = [
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.DECIMAL,
];

/** Text that a spreadsheet reads as a number. */
const NUMERAL = /^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$/;

/** Columns with values that a spreadsheet would change if it read them as numbers. */
export function longNumberColumns(selection: PreparedSelect): Promise<ReadonlySet<string>> {
  return columnsWith(selection, isChanged);
}

function isChanged({ name, type }: SelectedColumn): string | undefined {
  const text = `CAST(${identifier(name)} AS VARCHAR)`;
  const digits = `length(trim(regexp_replace(${text}, '[-.]', '', 'g'), '0'))`;
  if (LONG_TYPES.includes(type.typeId)) return `${digits} > ${EXACT_DIGITS}`;
  if (type.typeId !== DuckDBTypeId.VARCHAR) return undefined;
  const isPadded = `regexp_matches(${text}, '^-?0[0-9]|[eE]')`;
  return `${isNumeral(text)} AND (${digits} > ${EXACT_DIGITS} OR ${isPadded})`;
}

/** SQL: whether a spreadsheet reads a text as a number. */
export function isNumeral(text: string): string {
  return `regexp_full_match(${text}, '${NUMERAL.source.slice(1, -1)}')`;
}

/** A note for readers of a file in which the columns are text. */
export function longNumberNotes(columns: ReadonlySet<string>): string[] {
  return [...columns].map(
    (name) => `${name} is text: spreadsheets would change some of its numbers.`,
  );
}
