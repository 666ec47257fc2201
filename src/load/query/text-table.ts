import type { QueryColumn, QueryRow } from './query.ts';

/** Wider cells are cut and end with an ellipsis; `--json` shows them whole. */
const MAX_WIDTH = 100;

const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL\(.*\)|FLOAT|DOUBLE|BIGNUM)$/;

/** Whether a type of DuckDB is one of numbers. */
export function isNumber(type: string): boolean {
  return NUMBER.test(type);
}

/** Text of `0x` and hexadecimal digits is cut in the middle: its end tells hashes apart, too. */
const HEX = /^0x[0-9a-f]+$/i;

/**
 * A table for terminals: a header, a rule, one line per row with numbers aligned right, and the
 * number of rows. No trailing line feed. Characters that move the cursor, change the direction of
 * writing or are invisible are escaped, because attackers choose names and symbols of tokens.
 */
export function textTable(
  columns: readonly QueryColumn[],
  rows: readonly QueryRow[],
  maxWidth = MAX_WIDTH,
): string {
  const header = columns.map(({ name }) => shown(name, MAX_WIDTH));
  // A part of a number is another number.
  const isWhole = (type: string) => isNumber(type) || /^(DATE|TIME)/.test(type);
  const body = rows.map((row) =>
    columns.map(({ name, type }) => shown(row[name], isWhole(type) ? MAX_WIDTH : maxWidth)),
  );
  // One argument for each row would be more than a call can have.
  const widths = columns.map((_, i) =>
    body.reduce(
      (width, cells) => Math.max(width, widthOf(cells[i] ?? '')),
      widthOf(header[i] ?? ''),
    ),
  );
  const isRight = columns.map(({ type }) => isNumber(type));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => {
        const space = ' '.repeat((widths[i] ?? 0) - widthOf(cell));
        return isRight[i] ? space + cell : cell + space;
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  const count = rows.length === 1 ? '(1 row)' : `(${rows.length} rows)`;
  return [line(header), rule, ...body.map(line), count].join('\n');
}

/** A table of records, whose columns are the members of the first one. */
export function recordTable(records: readonly QueryRow[]): string {
  const columns = Object.keys(records[0] ?? {}).map((name) => {
    const isOfNumbers = records.some((record) => typeof record[name] === 'number');
    return { name, type: isOfNumbers ? 'DOUBLE' : 'VARCHAR' };
  });
  return textTable(columns, records);
}

function shown(value: unknown, maxWidth: number): string {
  const text =
    value === null || value === undefined
      ? 'NULL'
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  const visible = Array.from(text, visibleCharacter);
  if (visible.length <= maxWidth) return visible.join('');
  if (HEX.test(text)) {
    const half = Math.floor((maxWidth - 1) / 2);
    return `${text.slice(0, maxWidth - 1 - half)}…${text.slice(-half)}`;
  }
  return `${visible.slice(0, maxWidth - 1).join('')}…`;
}

/** One line of untrusted text with all unsafe characters escaped. */
export function visibleText(text: string): string {
  return Array.from(text, visibleCharacter).join('');
}

/** Control, format, private and unassigned characters, lone surrogates, and line separators. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;
/** Combining marks, of which many in a row are drawn over other lines. */
const MARK = /\p{M}/u;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function visibleCharacter(character: string): string {
  if (!UNSEEN.test(character) && !MARK.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  return SHORT[character] ?? `\\u{${code.toString(16)}}`;
}

/** Characters that fill two cells of a terminal: East Asian wide ones, and pictures. */
const WIDE = new RegExp(
  [
    '[\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff]',
    '[\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}]',
    '\\p{Emoji_Presentation}',
  ].join('|'),
  'u',
);

/** Columns of a terminal that a text fills. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}
