import { amount } from '../../../src/catalogue/column-kind.ts';
import { type ColumnWord, columnsOf } from '../../../src/catalogue/entry.ts';
import { identifier, literal } from '../../../src/land/storage/sql-text.ts';
import type { Bound, Naming, Selection } from '../protocol/source.ts';
import { canonicalSql, type ServedDataset, valueSql } from './columns.ts';

/** A selection without its heights, as SQL over the curated table of its dataset. */
export interface ServedList {
  /** Equal for equal selections, whatever their heights. */
  readonly text: string;
  readonly where: string;
  /** The times that a row is listed; 1 unless it is listed once for each key that it names. */
  readonly timesSql: string;
}

export function servedList(dataset: ServedDataset, selection: Selection): ServedList {
  const { keys, filters, bounds, oncePerKey } = selection;
  const namings = keys === undefined ? filters : [keys, ...filters];
  const named = namings.map((naming) => namesSql(dataset, naming));
  const isListedTwice = oncePerKey && keys !== undefined;
  return {
    text: JSON.stringify([keys, filters, bounds, oncePerKey]),
    where: ['true', ...named, ...bounds.map((bound) => boundSql(dataset, bound))].join(' AND '),
    timesSql: isListedTwice ? `len(${keysNamedSql(dataset, keys)})` : '1',
  };
}

function wordNamed({ words, name }: ServedDataset, column: string): ColumnWord {
  const word = words.find((candidate) => candidate.column === column);
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

function namesSql(dataset: ServedDataset, naming: Naming): string {
  const words = wordsIn(dataset, naming);
  const values = listOf(naming.values);
  const plain = words.map((word) => `${comparedSql(dataset, word)} IN (${values})`);
  const parties = words.filter(({ column }) => dataset.parties.includes(column));
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

function comparedSql(dataset: ServedDataset, word: ColumnWord): string {
  const text = canonicalSql(dataset, word);
  return word.kind.wire === 'boolean' ? `CAST(${text} AS VARCHAR)` : text;
}

/** SQL for the list of addresses that a party names. */
function partsSql(column: string): string {
  const parts = `string_split(coalesce(${identifier(column)}, ''), ',')`;
  return `list_transform(${parts}, lambda part: trim(part, E' \\t\\n\\r\\f\\v'))`;
}

function keysNamedSql(dataset: ServedDataset, keys: Naming): string {
  const named = wordsIn(dataset, keys).map((word) =>
    dataset.parties.includes(word.column)
      ? partsSql(word.column)
      : `[${comparedSql(dataset, word)}]`,
  );
  return `list_intersect(list_distinct(flatten([${named.join(', ')}])), [${listOf(keys.values)}])`;
}

const WHOLE_NUMBER = /^-?[0-9]{1,18}$/;

function boundSql(dataset: ServedDataset, { column, least, most }: Bound): string {
  const word = wordNamed(dataset, column);
  const text = canonicalSql(dataset, word);
  const as = (sql: (value: string) => string): string[] => [
    ...(least === undefined ? [] : [`>= ${sql(least)}`]),
    ...(most === undefined ? [] : [`<= ${sql(most)}`]),
  ];
  const within = (value: string, sides: readonly string[]): string =>
    [`${text} IS NOT NULL`, ...sides.map((side) => `${value} ${side}`)].join(' AND ');
  const bySize = within(
    sizeSql(text),
    // Below every text of a size.
    as((value) => (value.startsWith('-') ? "''" : sizeSql(literal(value)))),
  );
  const all = (isMet: (value: string) => boolean): boolean =>
    [least, most].every((value) => value === undefined || isMet(value));
  if (word.kind === amount) {
    if (!all((value) => typeof amount.decode(value)?.[1] === 'bigint')) return bySize;
    const number = identifier(column);
    const byNumber = within(
      number,
      as((value) => `CAST(${literal(value)} AS DECIMAL(38,18))`),
    );
    return `CASE WHEN ${number} IS NULL THEN ${bySize} ELSE ${byNumber} END`;
  }
  const isNumber = columnsOf(word).some(({ type }) => type === 'BIGINT' || type === 'TIMESTAMPTZ');
  const isByNumber = isNumber && all((value) => WHOLE_NUMBER.test(value));
  return isByNumber ? within(valueSql(dataset, word), as(String)) : bySize;
}

/** SQL for a text of a number without a sign, of any size: such texts have the order of numbers. */
function sizeSql(text: string): string {
  const [whole, fraction] = [1, 2].map((part) => `split_part(${text}, '.', ${part})`);
  const digits = `ltrim(${whole}, '0')`;
  const length = `lpad(CAST(length(${digits}) AS VARCHAR), 9, '0')`;
  return `(${length} || ${digits} || '.' || rtrim(${fraction}, '0'))`;
}
