import { amount } from '../../../src/catalogue/column-kind.ts';
import { type ColumnWord, columnsOf } from '../../../src/catalogue/entry.ts';
import { identifier, literal } from '../../../src/land/storage/sql-text.ts';
import type { Bound, Naming, Selection } from '../protocol/source.ts';
import { canonicalSql, type ServedDataset, valueSql } from './columns.ts';

/** A selection as SQL over the curated table of its dataset. */
export interface Conditions {
  readonly where: readonly string[];
  /**
   * Bounds that SQL cannot evaluate exactly for every row: `text` is the value if it must still be
   * compared, and NULL otherwise.
   */
  readonly open: readonly { readonly bound: Bound; readonly text: string }[];
  /** The list of keys that a row names; only if a record is listed once for each of them. */
  readonly keysNamed: string | undefined;
}

/** A selection by heights alone has no conditions. */
export function conditionsOf(of: ServedDataset, asked: Selection): Conditions {
  const { keys, filters, bounds, oncePerKey } = asked;
  const namings = keys === undefined ? filters : [keys, ...filters];
  const where = namings.map((naming) => namesSql(of, naming));
  const open: { bound: Bound; text: string }[] = [];
  for (const bound of bounds) {
    const decided = boundSql(of, bound);
    where.push(decided.where);
    if (decided.open !== undefined) open.push({ bound, text: decided.open });
  }
  const isListedTwice = oncePerKey && keys !== undefined;
  return { where, open, keysNamed: isListedTwice ? keysNamedSql(of, keys) : undefined };
}

function wordNamed({ words, name }: ServedDataset, column: string): ColumnWord {
  const word = words.find((each) => each.column === column);
  if (word === undefined) throw new Error(`${name} has no column ${column}`);
  return word;
}

function listOf(values: readonly string[]): string {
  return values.map(literal).join(', ');
}

/** The columns that the dataset has; others are ignored. */
function wordsIn({ words }: ServedDataset, { columns }: Naming): ColumnWord[] {
  return words.filter(({ column }) => columns.includes(column));
}

function namesSql(of: ServedDataset, naming: Naming): string {
  const words = wordsIn(of, naming);
  const values = listOf(naming.values);
  const plain = words.map((word) => `${comparedSql(of, word)} IN (${values})`);
  const parties = words.filter(({ column }) => of.parties.includes(column));
  if (parties.length > 0) {
    const named = parties.map(({ column }) => partsSql(column));
    const namesOne = `list_has_any(flatten([${named.join(', ')}]), [${values}])`;
    // CASE fixes the order of evaluation; AND may evaluate either side first.
    plain.push(`CASE WHEN ${severalSql(parties)} THEN ${namesOne} ELSE false END`);
  }
  return plain.length === 0 ? 'false' : `(${plain.join(' OR ')})`;
}

/** SQL that is true where one of the parties names several addresses, which is rare. */
function severalSql(parties: readonly ColumnWord[]): string {
  const commas = parties.map(({ column }) => `contains(${identifier(column)}, ',')`);
  return `coalesce(${commas.join(' OR ')}, false)`;
}

function comparedSql(of: ServedDataset, word: ColumnWord): string {
  const text = canonicalSql(of, word);
  return word.kind.wire === 'boolean' ? `CAST(${text} AS VARCHAR)` : text;
}

/** SQL for the list of addresses that a party names. */
function partsSql(column: string): string {
  const parts = `string_split(coalesce(${identifier(column)}, ''), ',')`;
  return `list_transform(${parts}, lambda part: trim(part, E' \\t\\n\\r\\f\\v'))`;
}

function keysNamedSql(of: ServedDataset, keys: Naming): string {
  const named = wordsIn(of, keys).map((word) =>
    of.parties.includes(word.column) ? partsSql(word.column) : `[${comparedSql(of, word)}]`,
  );
  return `list_intersect(list_distinct(flatten([${named.join(', ')}])), [${listOf(keys.values)}])`;
}

const WHOLE_NUMBER = /^-?[0-9]{1,18}$/;

function boundSql(of: ServedDataset, bound: Bound): { where: string; open?: string } {
  const word = wordNamed(of, bound.column);
  const text = canonicalSql(of, word);
  if (word.kind === amount) return amountSql(word, bound, text);
  const { least, most } = bound;
  const given = [least, most].filter((each) => each !== undefined);
  const isNumber = columnsOf(word).some(({ type }) => type === 'BIGINT' || type === 'TIMESTAMPTZ');
  if (!isNumber || !given.every((each) => WHOLE_NUMBER.test(each))) {
    return { where: `${text} IS NOT NULL`, open: text };
  }
  return { where: withinSql(valueSql(of, word), least, most) };
}

/** Amounts that no numeric type holds are left open. If a bound is such an amount, all rows are. */
function amountSql(word: ColumnWord, bound: Bound, text: string): { where: string; open: string } {
  const exact = [bound.least, bound.most].map((each) => each && decimalSql(word, each));
  if (exact.includes(null)) return { where: `${text} IS NOT NULL`, open: text };
  const number = identifier(word.column);
  const [least, most] = exact.map((each) => each ?? undefined);
  const where = `${text} IS NOT NULL AND (${number} IS NULL OR ${withinSql(number, least, most)})`;
  return { where: `(${where})`, open: `CASE WHEN ${number} IS NULL THEN ${text} END` };
}

/** The text as a number of the column's type; null if the conversion is not exact. */
function decimalSql(word: ColumnWord, text: string): string | null {
  const isExact = typeof word.kind.decode(text)?.[1] === 'bigint';
  return isExact ? `CAST(${literal(text)} AS DECIMAL(38,18))` : null;
}

function withinSql(value: string, least: string | undefined, most: string | undefined): string {
  const parts = [
    ...(least === undefined ? [] : [`${value} >= ${least}`]),
    ...(most === undefined ? [] : [`${value} <= ${most}`]),
  ];
  return parts.length === 0 ? `${value} IS NOT NULL` : parts.join(' AND ');
}
