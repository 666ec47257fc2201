import type { ColumnWord } from '../../catalogue/entry.ts';
import { columnsOf } from '../../catalogue/entry.ts';
import { datasetNamed, datasetsOf, endpoints, fieldFor } from '../../catalogue/index.ts';
import { address, amount, party } from '../../catalogue/kind.ts';
import { tokenId } from '../../catalogue/vocabulary.ts';
import type { Interval } from '../../coverage/ranges.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import type { Traits } from '../../load/tables/lists.ts';
import type { ServedDataset, StoredColumn } from './columns.ts';
import { EXPORTED, exportedBy, NAMES_SEVERAL, POSITION, RECORD, recordSql } from './columns.ts';

/**
 * Rows of several lists made one record for each that is real. A list that holds a record holds
 * every copy of it, so a record without a key is told by what it moved between whom, and by which
 * of its copies it is: there are as many as the list has that holds the most. A field comes from
 * the first list that has it. Lists asked by transaction come first, then by address, by token, by
 * nothing; among equals the one with more fields. What changes after the fact is that of the newest
 * reading.
 */
export function recordsSql(
  of: ServedDataset,
  scan: string,
  lists: readonly Traits[],
  band: Interval,
): string {
  const height = identifier(of.heightColumn);
  const within = `SELECT * FROM (${scan}) WHERE ${height} BETWEEN ${band.from} AND ${band.to}`;
  const values = of.columns.map(({ name, value }) => `${value} AS ${identifier(name)}`).join(', ');
  const exported = `${exportedSql(of, lists)} AS ${EXPORTED}`;
  if (lists.length <= 1) return `SELECT ${values}, ${exported} FROM (${within})`;
  const identity = identityOf(of);
  const isKeyed = datasetNamed(of.name).identity.length > 0;
  const copy = isKeyed ? '0' : copySql(of, identity);
  const lineage = `${listSql(lists)} AS _list, epoch_ms(_fetched_at) AS _read_ms`;
  const told = identity.map(({ value }, i) => `${value} AS ${toldName(i)}`).join(', ');
  const rows = `SELECT ${values}, ${told}, ${exported}, _list, _read_ms, ${copy} AS _copy
    FROM (SELECT *, ${lineage} FROM (${within}))`;
  const one = [
    ...of.columns.map((column) => `${firstSql(column)} AS ${identifier(column.name)}`),
    `bit_or(${EXPORTED}) AS ${EXPORTED}`,
  ];
  const groups = [...identity.map((_, i) => toldName(i)), '_copy'].join(', ');
  const blended = `SELECT ${one.join(', ')} FROM rows`;
  if (!isKeyed) return `WITH rows AS (${rows}) ${blended} GROUP BY ${groups}`;
  // Without its key nothing says that two rows are one record.
  const isUnnamed = identity.map((_, i) => `${toldName(i)} IS NULL`).join(' OR ');
  const names = [...of.columns.map(({ name }) => identifier(name)), EXPORTED].join(', ');
  return `WITH rows AS (${rows}) ${blended} WHERE NOT (${isUnnamed}) GROUP BY ${groups}
    UNION ALL SELECT ${names} FROM rows WHERE ${isUnnamed}`;
}

/** SQL for rows of the dataset's table that hold these records, the first at `base`. */
export function servedSql(of: ServedDataset, records: string, base: number): string {
  const order = `row_number() OVER (ORDER BY ${of.order})`;
  const asked = of.asked.map(identifier).join(', ');
  return `SELECT CAST(${base} + ${order} - 1 AS UINTEGER) AS ${POSITION}, ${asked},
      ${severalSql(of)} AS ${NAMES_SEVERAL}, CAST(${recordSql(of)} AS VARCHAR) AS ${RECORD}
    FROM (SELECT *${of.ordering} FROM (${records})) ORDER BY ${POSITION}`;
}

function severalSql({ parties }: ServedDataset): string {
  const commas = parties.map((column) => `coalesce(contains(${identifier(column)}, ','), false)`);
  return commas.length === 0 ? 'false' : `(${commas.join(' OR ')})`;
}

/** What tells one record from another, in every list alike. */
interface Telling {
  readonly column: string;
  /** SQL over a row of the lake; values that mean the same are equal however they are spelled. */
  readonly value: string;
}

const toldName = (nth: number): string => `_told_${nth}`;

function identityOf({ name, words }: ServedDataset): Telling[] {
  const { identity, sortedBy } = datasetNamed(name);
  if (identity.length > 0) {
    return identity.map((column) => ({ column, value: identifier(column) }));
  }
  const feeding = endpoints.filter((endpoint) => datasetsOf(endpoint).includes(name));
  const moves = new Set([party, address, amount]);
  const telling = words.filter(({ column, kind }) => {
    if (sortedBy.includes(column)) return true;
    const isServedByAll = feeding.every((entry) => fieldFor(entry, column) !== undefined);
    return isServedByAll && (moves.has(kind) || column === tokenId.column);
  });
  return telling.map((word) => ({ column: word.column, value: meaningSql(word) }));
}

function meaningSql(word: ColumnWord): string {
  const [first, second] = columnsOf(word).map(({ name }) => identifier(name));
  if (word.kind === amount) return `coalesce(CAST(${second} AS VARCHAR), ${first})`;
  return word.kind === party ? `array_to_string(${second}, ',')` : String(first);
}

/** Which of its copies in its list a row is. Copies are numbered alike in all lists. */
function copySql({ columns }: ServedDataset, identity: readonly Telling[]): string {
  const others = columns
    .filter(({ name, volatile }) => !volatile && !identity.some(({ column }) => column === name))
    .map(({ value }) => value);
  const order = others.length === 0 ? '' : `ORDER BY ${others.join(', ')}`;
  const alike = ['_list', ...identity.map(({ value }) => value)].join(', ');
  return `row_number() OVER (PARTITION BY ${alike} ${order})`;
}

/** Lists that nobody knows come last. */
const LAST_LIST = 1000;

function listSql(lists: readonly Traits[]): string {
  return ofListSql(lists, ({ number }) => number, LAST_LIST);
}

function exportedSql(of: ServedDataset, lists: readonly Traits[]): string {
  return `CAST(${ofListSql(lists, (list) => exportedBy(of, list), 0)} AS UBIGINT)`;
}

/** SQL for a number of the list that a row is in. */
function ofListSql(
  lists: readonly Traits[],
  numberOf: (list: Traits) => number,
  other: number,
): string {
  const cases = lists.map((list) => {
    const isOf = `_endpoint = ${literal(list.endpoint)} AND _variant = ${literal(list.variant)}`;
    return `WHEN ${isOf} THEN ${numberOf(list)}`;
  });
  return cases.length === 0 ? String(other) : `CASE ${cases.join(' ')} ELSE ${other} END`;
}

/** Milliseconds in a time stay below it, so that lists come before the times of readings. */
const BEYOND_TIMES = 2 ** 42;

function firstSql({ name, volatile }: StoredColumn): string {
  const column = identifier(name);
  const order = volatile
    ? `_list - _read_ms * ${LAST_LIST + 1}`
    : `_list * ${BEYOND_TIMES} - _read_ms`;
  return `arg_min(${column}, ${order})`;
}
