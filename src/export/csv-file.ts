import { DuckDBTypeId } from '@duckdb/node-api';
import { identifier } from '../land/storage/sql-text.ts';
import type { PreparedSelect, SelectedColumn } from '../load/query/stream.ts';
import { type Carried, carriedBy, isNested, textSql } from './exact-types.ts';
import type { Written } from './written.ts';

export interface CsvSettings {
  /** Leaves text unescaped, even if a spreadsheet would run it as a formula. */
  readonly isRaw: boolean;
}

/** Types that are never escaped: none of their values is a formula. */
const BARE: readonly DuckDBTypeId[] = [
  DuckDBTypeId.BOOLEAN,
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
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

/** Spreadsheets run text that begins like this, and attackers choose names of tokens. */
const FORMULA = /^[=+\-@\t\r\n]/;
/** Negative amounts kept as text, which are safe. */
const NUMBER = '-[0-9]+([.][0-9]+)?';

function guarded(text: string): string {
  return (
    `CASE WHEN starts_with(${text}, '=') OR starts_with(${text}, '+') ` +
    `OR starts_with(${text}, '@') OR starts_with(${text}, chr(9)) ` +
    `OR starts_with(${text}, chr(10)) OR starts_with(${text}, chr(13)) ` +
    `OR (starts_with(${text}, '-') AND NOT regexp_full_match(${text}, '${NUMBER}')) ` +
    `THEN '''' || ${text} ELSE ${text} END`
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

function carried(column: SelectedColumn, { isRaw }: CsvSettings): Carried {
  const { name, type } = column;
  const value = identifier(name);
  const header = identifier(isRaw || !FORMULA.test(name) ? name : `'${name}`);
  if (BARE.includes(type.typeId)) return { expression: `${value} AS ${header}` };
  if (TIMES.includes(type.typeId)) return { expression: `${isoTime(value)} AS ${header}` };
  // The JSON of nested values begins with a bracket.
  const text = textSql(column);
  const expression = isRaw || isNested(type) ? text : guarded(text);
  return { expression: `${expression} AS ${header}` };
}

/**
 * Writes a selection as CSV after RFC 4180, in UTF-8 and with a header. Numbers are exact, times
 * ISO 8601 in UTC, NULL is empty (an empty text is `""`), and nested values are JSON. Text that a
 * spreadsheet would run (it begins with = + - @, a tab or a line break) gets a single quote in
 * front, unless it is a plain negative number. The file must lie under the data root.
 */
export async function writeCsv(
  selection: PreparedSelect,
  file: string,
  settings: CsvSettings,
): Promise<Written> {
  const carrier = (column: SelectedColumn): Carried => carried(column, settings);
  const { expressions, notes } = carriedBy(carrier, selection.columns, new Set());
  const options = "FORMAT csv, HEADER, NEW_LINE '\r\n', NULLSTR '', USE_TMP_FILE false";
  return { rows: await selection.copy(expressions, file, options), notes };
}
