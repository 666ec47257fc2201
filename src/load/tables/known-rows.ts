import { KEY_KINDS } from '../../catalogue/entry.ts';
import { datasetNamed } from '../../catalogue/index.ts';
import { fromAddress, toAddress } from '../../catalogue/vocabulary.ts';
import { columnsOfKeys } from '../../curate/rule/lists.ts';
import { PART_BLOCKS } from '../../curate/rule/range-rows.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';

/**
 * Schema `known`: the rows of the lake, each with the coverage status of its list. This is the only
 * place that joins rows with coverage; the views of `sql/views` merge lists by its columns.
 */

/** The part of rows and intervals of lists with keys, which are not cut. */
const WHOLE = -1;

const CUT = `unnest(CASE WHEN key = '' THEN range(known.part_of(from_block),
  known.part_of(to_block) + 1) ELSE [${WHOLE}] END)`;

const LIST_COLUMN = {
  name: 'list',
  type: 'BIGINT',
  comment: 'Number of the list, from lake.lists',
};
const PART_COLUMNS = [
  { name: 'key', type: 'VARCHAR', comment: 'Key; empty for lists of the whole chain' },
  { name: 'side', type: 'VARCHAR', comment: 'from, to or both; else NULL or empty' },
  {
    name: 'part',
    type: 'BIGINT',
    comment: `Height divided by ${PART_BLOCKS} for lists of the whole chain, else ${WHOLE}`,
  },
  { name: 'from_block', type: 'BIGINT', comment: 'First block of the interval' },
  { name: 'to_block', type: 'BIGINT', comment: 'Last block of the interval' },
  { name: 'status_rank', type: 'BIGINT', comment: '1 complete, 6 failed' },
];

/** Tables for the joins of rows with coverage, filled from `lake.coverage` and `lake.reach`. */
export const PART_TABLES = [
  {
    name: 'list_parts',
    comment: 'Coverage of lists, cut into parts so that rows find it by equality',
    columns: [LIST_COLUMN, ...PART_COLUMNS],
    rowsSql: `SELECT list, key, side, ${CUT} AS part, from_block, to_block, status_rank
      FROM lake.coverage`,
  },
  {
    name: 'reach_parts',
    comment: 'Best coverage of addresses and of whole chains, cut into parts for the same reason',
    columns: [
      { name: 'dataset', type: 'VARCHAR', comment: 'Dataset' },
      {
        name: 'scope',
        type: 'VARCHAR',
        comment: 'Filters of the records, as column=value; or empty',
      },
      ...PART_COLUMNS,
    ],
    rowsSql: `SELECT dataset, scope, key, side, ${CUT} AS part, from_block, to_block, status_rank
      FROM lake.reach WHERE key_kind IN ('address', 'all')`,
  },
  {
    name: 'followed',
    comment: 'Addresses that were asked for by name',
    columns: [{ name: 'address', type: 'VARCHAR', comment: 'Address, in lower case' }],
    rowsSql: `SELECT DISTINCT key AS address FROM lake.coverage WHERE key_kind = 'address'`,
  },
] as const;

/** The columns of `known.<dataset>` in addition to those of the lake. */
const KNOWN_COLUMNS = [
  { name: '_list', comment: 'Number of its list, from lake.lists' },
  { name: '_endpoint_rank', comment: 'Precedence of its fields in the views: 1 comes first' },
  { name: '_key_kind', comment: 'Kind of keys of the list' },
  {
    name: '_status_rank',
    comment: '1 if the list is complete for a key of the row ... 6 failed, 7 without coverage',
  },
] as const;

/** The rank of rows without coverage. */
const UNKNOWN = 7;

/** SQL for `known.<dataset>`. */
export function knownRowsSql(dataset: string): string {
  const { heightColumn } = datasetNamed(dataset);
  const height = `t.${identifier(heightColumn)}`;
  const parties = columnsOfKeys(dataset, 'address');
  const within = (alias: string): string =>
    `${height} BETWEEN ${alias}.from_block AND ${alias}.to_block`;
  const partyJoins = parties.map((column, i) => {
    const side = otherSide(column);
    return `LEFT JOIN known.list_parts AS p${i}
      ON p${i}.list = l.list AND p${i}.key = t.${identifier(column)} AND p${i}.part = ${WHOLE}
      ${side === undefined ? '' : `AND p${i}.side <> ${literal(side)}`} AND ${within(`p${i}`)}`;
  });
  const ranks = [...parties.map((_, i) => `p${i}.status_rank`), 'k.status_rank'].join(', ');
  const isPlain = parties.map((column) => `NOT coalesce(contains(t.${column}, ','), false)`);
  const head = `SELECT t.*, l.list AS _list, coalesce(l.endpoint_rank, 1000) AS _endpoint_rank,
    l.key_kind AS _key_kind`;
  const from = `FROM lake.${identifier(dataset)} AS t
    LEFT JOIN lake.lists AS l
      ON l.endpoint = t._endpoint AND l.variant = t._variant AND l.dataset = ${literal(dataset)}`;
  const plain = `${head}, coalesce(least(${ranks}), ${UNKNOWN}) AS _status_rank
    ${from}
    LEFT JOIN known.list_parts AS k
      ON k.list = l.list AND k.key = ${keySql(dataset)}
      AND k.part = CASE WHEN l.key_kind = 'all' THEN known.part_of(${height}) ELSE ${WHOLE} END
      AND ${within('k')}
    ${partyJoins.join('\n')}`;
  if (parties.length === 0) return plain;
  // Records that name several addresses are rare, so their join may be slow.
  return `${plain} WHERE ${isPlain.join(' AND ')}
    UNION ALL
    ${head}, coalesce((
      SELECT min(c.status_rank) FROM (${namedSql(dataset, parties)}) AS named
      JOIN known.list_parts AS c
        ON c.list = l.list AND c.key = named.key
        AND (named.other_side IS NULL OR c.side <> named.other_side)
        AND c.part = CASE WHEN named.key = '' THEN known.part_of(${height}) ELSE ${WHOLE} END
        AND ${within('c')}
    ), ${UNKNOWN})
    ${from} WHERE NOT (${isPlain.join(' AND ')})`;
}

/** The side of lists that do not hold the records that this column names. */
function otherSide(column: string): 'from' | 'to' | undefined {
  if (column === fromAddress.column) return 'to';
  return column === toAddress.column ? 'from' : undefined;
}

/** The key of lists with one key column, or without keys. */
function keySql(dataset: string): string {
  const cases = KEY_KINDS.filter((kind) => kind !== 'address').flatMap((kind) =>
    columnsOfKeys(dataset, kind).map((name) => `WHEN ${literal(kind)} THEN t.${identifier(name)}`),
  );
  return `CASE l.key_kind ${cases.join(' ')} WHEN 'all' THEN '' END`;
}

/** All keys that a row with several addresses names. */
function namedSql(dataset: string, parties: readonly string[]): string {
  const named = parties.map((column) => {
    const side = otherSide(column);
    const list = identifier(`${column}es`);
    const other = side === undefined ? 'NULL' : literal(side);
    return `SELECT unnest(t.${list}) AS key, ${other} AS other_side`;
  });
  return [...named, `SELECT ${keySql(dataset)}, NULL`].join(' UNION ALL ');
}

/** The columns of `known.<dataset>`, with their comments. */
export function knownColumns(dataset: string): { name: string; comment: string }[] {
  return [...tableColumns(dataset), ...KNOWN_COLUMNS].map(({ name, comment }) => ({
    name,
    comment,
  }));
}
