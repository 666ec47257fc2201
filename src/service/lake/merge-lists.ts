import { address, amount, party } from '../../catalogue/column-kind.ts';
import type { ColumnWord } from '../../catalogue/entry.ts';
import { columnsOf } from '../../catalogue/entry.ts';
import { datasetNamed, datasetsOf, endpoints, fieldFor } from '../../catalogue/index.ts';
import { tokenId } from '../../catalogue/vocabulary.ts';
import type { Interval } from '../../coverage/ranges.ts';
import type { Traits } from '../../curate/rule/lists.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import type { ServedDataset, StoredColumn } from './columns.ts';
import { EXPORTED, exportedBy, NAMES_SEVERAL, POSITION, RECORD, recordSql } from './columns.ts';

/**
 * Merges rows of several lists into one record for each real event. A list that contains a record
 * contains all copies of it. A record without a key is therefore identified by its content and its
 * copy number, and has as many copies as the list with the most. Each field comes from the first
 * list that has it. Lists by transaction come first, then by address, by token, and without keys;
 * among equals, the list with more fields. Volatile fields come from the newest reading.
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
  const identities = identity.map(({ value }, i) => `${value} AS ${identityName(i)}`).join(', ');
  const rows = `SELECT ${values}, ${identities}, ${exported}, _list, _read_ms, ${copy} AS _copy
    FROM (SELECT *, ${lineage} FROM (${within}))`;
  const one = [
    ...of.columns.map((column) => `${firstSql(column)} AS ${identifier(column.name)}`),
    `bit_or(${EXPORTED}) AS ${EXPORTED}`,
  ];
  const groups = [...identity.map((_, i) => identityName(i)), '_copy'].join(', ');
  const merged = `SELECT ${one.join(', ')} FROM rows`;
  if (!isKeyed) return `WITH rows AS (${rows}) ${merged} GROUP BY ${groups}`;
  // Without their key, two rows cannot be matched to one record.
  const isUnnamed = identity.map((_, i) => `${identityName(i)} IS NULL`).join(' OR ');
  const names = [...of.columns.map(({ name }) => identifier(name)), EXPORTED].join(', ');
  return `WITH rows AS (${rows}) ${merged} WHERE NOT (${isUnnamed}) GROUP BY ${groups}
    UNION ALL SELECT ${names} FROM rows WHERE ${isUnnamed}`;
}

/** SQL for the rows of the dataset's table that contain these records, numbered from `base`. */
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

/** An identity value that distinguishes records in the same way in every list. */
interface IdentityColumn {
  readonly column: string;
  /** SQL over a row of the lake. Equal values compare equal in every spelling. */
  readonly value: string;
}

const identityName = (nth: number): string => `_identity_${nth}`;

function identityOf({ name, words }: ServedDataset): IdentityColumn[] {
  const { identity, sortedBy } = datasetNamed(name);
  if (identity.length > 0) {
    return identity.map((column) => ({ column, value: identifier(column) }));
  }
  const feeding = endpoints.filter((endpoint) => datasetsOf(endpoint).includes(name));
  const moves = new Set([party, address, amount]);
  const identifying = words.filter(({ column, kind }) => {
    if (sortedBy.includes(column)) return true;
    const isServedByAll = feeding.every((entry) => fieldFor(entry, column) !== undefined);
    return isServedByAll && (moves.has(kind) || column === tokenId.column);
  });
  return identifying.map((word) => ({ column: word.column, value: meaningSql(word) }));
}

function meaningSql(word: ColumnWord): string {
  const [first, second] = columnsOf(word).map(({ name }) => identifier(name));
  if (word.kind === amount) return `coalesce(CAST(${second} AS VARCHAR), ${first})`;
  return word.kind === party ? `array_to_string(${second}, ',')` : String(first);
}

/** The copy number of a row within its list. All lists number copies in the same way. */
function copySql({ columns }: ServedDataset, identity: readonly IdentityColumn[]): string {
  const others = columns
    .filter(({ name, volatile }) => !volatile && !identity.some(({ column }) => column === name))
    .map(({ value }) => value);
  const order = others.length === 0 ? '' : `ORDER BY ${others.join(', ')}`;
  const alike = ['_list', ...identity.map(({ value }) => value)].join(', ');
  return `row_number() OVER (PARTITION BY ${alike} ${order})`;
}

/** Lists that are not in the catalogue come last. */
const LAST_LIST = 1000;

function listSql(lists: readonly Traits[]): string {
  return ofListSql(lists, ({ number }) => number, LAST_LIST);
}

function exportedSql(of: ServedDataset, lists: readonly Traits[]): string {
  return `CAST(${ofListSql(lists, (list) => exportedBy(of, list), 0)} AS UBIGINT)`;
}

/** SQL for a number that belongs to the list of a row. */
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

/** Larger than any time in milliseconds, so that list ranks sort before the times of readings. */
const BEYOND_TIMES = 2 ** 42;

function firstSql({ name, volatile }: StoredColumn): string {
  const column = identifier(name);
  const order = volatile
    ? `_list - _read_ms * ${LAST_LIST + 1}`
    : `_list * ${BEYOND_TIMES} - _read_ms`;
  return `arg_min(${column}, ${order})`;
}
