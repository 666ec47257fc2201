import {
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';
import { Fault } from '../../fault.ts';
import { identifier } from '../../land/storage/sql-text.ts';
import type { PreparedSelect, SelectedColumn } from '../../load/query/stream.ts';
import { escaped } from '../html/html.ts';
import { isNested, NUMBER_TYPES, textSql } from './exact-types.ts';
import { longNumberColumns, longNumberNotes } from './long-numbers.ts';
import type { Written } from './sink.ts';
import { CELL_FORMATS, writeWorkbook } from './xlsx-archive.ts';

/** Limits of a sheet; its first row holds the names of the columns. */
const MAX_ROWS = 1_048_576 - 1;
const MAX_COLUMNS = 16_384;
const MAX_CELL_CHARACTERS = 32_767;

/** The first day that all spreadsheets count alike; earlier times are text. */
const FIRST_DAY_MS = Date.UTC(1900, 2, 1);
const DAY_MS = 86_400_000;
/** 1970-01-01, as spreadsheets count days. */
const EPOCH_DAY = 25_569;

const TIMES: readonly DuckDBTypeId[] = [DuckDBTypeId.TIMESTAMP, DuckDBTypeId.TIMESTAMP_TZ];
/** Types whose values are no text in a sheet. */
const KEPT: readonly DuckDBTypeId[] = [
  ...NUMBER_TYPES,
  ...TIMES,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.DATE,
  DuckDBTypeId.BOOLEAN,
];

/** A number of days is a date or a time. */
type Cell = string | number | boolean | { readonly days: number } | null;

/**
 * Writes a selection as an XLSX workbook of one sheet, row by row in bounded memory. Every text is
 * a cell of text, so nothing in it is run. Numbers are numbers, unless a spreadsheet would change
 * one of their column: then the column is text. Times are in UTC. Throws Fault('query') if the
 * selection is larger than a sheet.
 */
export async function writeXlsx(selection: PreparedSelect, file: string): Promise<Written> {
  await checkSize(selection);
  const long = await longNumberColumns(selection);
  const isText = ({ name, type }: SelectedColumn): boolean =>
    long.has(name) || !KEPT.includes(type.typeId);
  const expressions = selection.columns.map((column) => {
    const as = identifier(column.name);
    return isText(column) ? `${textSql(column)} AS ${as}` : as;
  });
  const { types, chunks } = await selection.read(expressions.join(', '));
  const styles = types.map(styleOf);
  let rows = 0;
  await writeWorkbook(
    file,
    types.map(widthOf),
    (async function* () {
      yield rowXml(selection.columns.map(({ name }) => shown(name)));
      for await (const chunk of chunks) {
        rows += chunk.rowCount;
        yield chunk
          .getRows()
          .map((values) => rowXml(values.map(cellOf), styles))
          .join('');
      }
    })(),
  );
  return { rows, notes: longNumberNotes(long) };
}

async function checkSize(selection: PreparedSelect): Promise<void> {
  const width = selection.columns.length;
  if (width > MAX_COLUMNS) {
    throw new Fault('query', `A sheet has at most ${MAX_COLUMNS} columns, not ${width}.`, {
      advice: 'Name the columns that you need: --columns a,b,c.',
    });
  }
  const [count = 0] = await selection.measure('count(*)');
  if (Number(count) <= MAX_ROWS) return;
  throw new Fault('query', `A sheet has at most ${MAX_ROWS} rows of data, not ${count}.`, {
    advice:
      'Restrict the rows with --where, for instance by block_number, or use --format parquet or ' +
      'csv, which have no limit.',
  });
}

function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return shown(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof DuckDBDecimalValue) return Number(value.toString());
  const ms = millisecondsOf(value);
  if (ms === undefined || ms < FIRST_DAY_MS) return shown(String(value));
  return { days: EPOCH_DAY + ms / DAY_MS };
}

/** Milliseconds since 1970 of a date or a time that Date holds unchanged. */
function millisecondsOf(value: DuckDBValue): number | undefined {
  if (value instanceof DuckDBDateValue) return value.days * DAY_MS;
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) {
    return value.micros % 1000n === 0n ? Number(value.micros / 1000n) : undefined;
  }
  return undefined;
}

/** Readers of XLSX replace `_x0041_` in text, unless its first character is written so itself. */
const ESCAPE = /_(?=x[0-9A-Fa-f]{4}_)/g;
const ESCAPED = '_x005F_';
/** Characters that XML forbids. */
const FORBIDDEN = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;

/** A text as a cell: characters that XML forbids become U+FFFD, and long texts end with `…`. */
function shown(text: string): string {
  const fit =
    text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS - 1)}…` : text;
  return fit.replaceAll(FORBIDDEN, '\ufffd').replaceAll(ESCAPE, ESCAPED);
}

/** A row in the XML of a sheet. Cells have no names, so absent values are cells, too. */
function rowXml(cells: readonly Cell[], styles: readonly number[] = []): string {
  const all = cells.map((cell, i) => {
    if (cell === null) return '<c/>';
    if (typeof cell === 'number') return `<c><v>${cell}</v></c>`;
    if (typeof cell === 'boolean') return `<c t="b"><v>${Number(cell)}</v></c>`;
    if (typeof cell === 'object') return `<c s="${styles[i]}"><v>${cell.days}</v></c>`;
    // LibreOffice would replace such a text twice in a cell of the usual kind.
    if (cell.includes(ESCAPED)) return `<c t="str"><v>${escaped(cell)}</v></c>`;
    return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
  });
  return `<row>${all.join('')}</row>`;
}

/** The position of the number format. */
function styleOf({ typeId }: DuckDBType): number {
  if (typeId === DuckDBTypeId.DATE) return CELL_FORMATS.indexOf('yyyy-mm-dd');
  return TIMES.includes(typeId) ? CELL_FORMATS.indexOf('yyyy-mm-dd hh:mm:ss') : 0;
}

/** Width of a column in characters. */
function widthOf(type: DuckDBType): number {
  if (isNested(type)) return 24;
  return type.typeId === DuckDBTypeId.VARCHAR || TIMES.includes(type.typeId) ? 20 : 14;
}
