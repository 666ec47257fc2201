import { DuckDBTypeId } from '@duckdb/node-api';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import type { PreparedSelect, SelectedColumn } from '../../load/query/stream.ts';
import { type Carried, carriedBy, isNested, NUMBER_TYPES, textSql } from './exact-types.ts';
import { isNumeral, longNumberColumns, longNumberNotes } from './long-numbers.ts';
import type { Written } from './sink.ts';

/** Types that are never escaped: none of their values is a formula. */
const BARE: readonly DuckDBTypeId[] = [
  ...NUMBER_TYPES,
  DuckDBTypeId.BOOLEAN,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.UUID,
  DuckDBTypeId.DATE,
  DuckDBTypeId.TIME,
  DuckDBTypeId.TIME_NS,
  DuckDBTypeId.TIME_TZ,
];

const TIMES: readonly DuckDBTypeId[] = [
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_TZ,
];

/**
 * Spreadsheets run text that begins like this, and attackers choose names of tokens. Some read the
 * wide forms of East Asian keyboards as the same signs, and skip control characters and a mark of
 * byte order. A quote in front marks escaped text, so text that begins with one is escaped, too.
 */
const FORMULA = "^[=+\\-@'\uff1d\uff0b\uff0d\uff20\ufeff\\p{Cc}]";
/** Negative amounts kept as text, which are safe. */
const NUMBER = '-[0-9]+([.][0-9]+)?';

function guarded(text: string, isLong: boolean): string {
  const isFormula =
    `regexp_matches(${text}, ${literal(FORMULA)}) ` +
    `AND NOT regexp_full_match(${text}, '${NUMBER}')`;
  const isRun = isLong ? `${isNumeral(text)} OR ${isFormula}` : isFormula;
  return `CASE WHEN ${isRun} THEN '''' || ${text} ELSE ${text} END`;
}

/** `2024-01-02 03:04:05`, with a fraction of a second if there is one: spreadsheets read it. */
function spreadsheetTime(value: string): string {
  const micros = `CAST(${value} AS TIMESTAMP)`;
  return (
    `CASE WHEN epoch_us(${micros}) % 1000000 = 0 THEN strftime(${micros}, '%Y-%m-%d %H:%M:%S') ` +
    `WHEN epoch_us(${micros}) % 1000 = 0 THEN strftime(${micros}, '%Y-%m-%d %H:%M:%S.%g') ` +
    `ELSE strftime(${micros}, '%Y-%m-%d %H:%M:%S.%f') END`
  );
}

/** `2024-01-02T03:04:05.678Z`, with microseconds if there are any. */
function isoTime(value: string): string {
  const micros = `CAST(${value} AS TIMESTAMP)`;
  return (
    `CASE WHEN epoch_us(${micros}) % 1000 = 0 THEN strftime(${micros}, '%Y-%m-%dT%H:%M:%S.%gZ') ` +
    `ELSE strftime(${micros}, '%Y-%m-%dT%H:%M:%S.%fZ') END`
  );
}

function carried(column: SelectedColumn, isRaw: boolean, isLong: boolean): Carried {
  const { name, type } = column;
  const value = identifier(name);
  const header = identifier(isRaw || !new RegExp(FORMULA, 'u').test(name) ? name : `'${name}`);
  const text = textSql(column);
  if (BARE.includes(type.typeId)) {
    return { expression: `${isLong ? `'''' || ${text}` : value} AS ${header}` };
  }
  if (TIMES.includes(type.typeId)) {
    return { expression: `${isRaw ? isoTime(value) : spreadsheetTime(value)} AS ${header}` };
  }
  // The JSON of nested values begins with a bracket.
  const expression = isRaw || isNested(type) ? text : guarded(text, isLong);
  return { expression: `${expression} AS ${header}` };
}

/**
 * Writes a selection as CSV after RFC 4180, in UTF-8 and with a header. NULL is empty (an empty
 * text is `""`), times are in UTC, and nested values are JSON. Unless `isRaw`, spreadsheets read
 * the file without harm: a quote stands in front of text that they would run (it begins with
 * = + - @ or a wide form of these, a control character, a mark of byte order or a quote), unless it
 * is a plain negative number, and in front of all numbers of a column in which they would change
 * one. Without this quote, every value is exact. With `isRaw`, for programs, all numbers are
 * numbers, and times have `T` and `Z`. The file must lie under the data root.
 */
export async function writeCsv(
  selection: PreparedSelect,
  file: string,
  isRaw: boolean,
): Promise<Written> {
  const long = isRaw ? new Set<string>() : await longNumberColumns(selection);
  const carrier = (column: SelectedColumn): Carried =>
    carried(column, isRaw, long.has(column.name));
  const { expressions } = carriedBy(carrier, selection.columns);
  const options = "FORMAT csv, HEADER, NEW_LINE '\r\n', NULLSTR '', USE_TMP_FILE false";
  const rows = await selection.copy(expressions, file, options);
  return { rows, notes: longNumberNotes(long) };
}
