import { datasetNamed } from '../../catalogue/index.ts';
import { findList } from '../../coverage/list.ts';
import type { Interval } from '../../coverage/ranges.ts';
import { isOf, type LookUpsSql } from '../../land/rows/empty-look-ups.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import { isOfLookUps, type ListCoverage } from './list-coverage.ts';
import type { Traits } from './lists.ts';
import type { JobStep } from './steps.ts';

/**
 * The rows of a dataset in a range of heights, each with the coverage status of its list there. All
 * that curated tables and checks know of rows and coverage comes through this SQL.
 */

/**
 * Blocks per part. Lists of the whole chain have one key, so their intervals are cut at parts.
 * Otherwise every row would be compared with every interval of its list, of which lists by height
 * have very many.
 */
export const PART_BLOCKS = 1000;

/** SQL for the part of a height, for rows and for intervals. */
export const PART_MACRO = {
  name: 'known.part_of',
  comment: 'The part of a height in lists of the whole chain',
  sql: `CREATE MACRO known.part_of(height) AS height // ${PART_BLOCKS}`,
} as const;

/** The part of rows and intervals of lists with keys, which are not cut. */
export const WHOLE = -1;

/** The ends of a range, as numbers or SQL. */
interface SqlRange {
  readonly from: number | string;
  readonly to: number | string;
}

/** SQL for the parts of an interval, as a list; the interval is clipped to the range. */
export function partListSql({ from, to }: SqlRange): string {
  return `CASE WHEN key = '' THEN range(known.part_of(greatest(from_block, ${from})),
    known.part_of(least(to_block, ${to})) + 1) ELSE [${WHOLE}] END`;
}

/** SQL that is true for heights in the intervals. */
export function withinSql(column: string, intervals: readonly Interval[]): string {
  const parts = intervals.map(({ from, to }) => `${column} BETWEEN ${from} AND ${to}`);
  return parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`;
}

/** The rows of one list in a range. */
export interface ListRows {
  /** Undefined for rows whose list has no coverage. */
  readonly traits: Traits | undefined;
  /** SQL for the rows of its files in the range, with all columns of the table. */
  readonly rowsSql: string;
  /** The rank of every row, if the list has one status in the whole range. */
  readonly constantRank?: number;
}

/** The rank of rows without coverage. */
const UNKNOWN = 7;

/** SQL for the rows of some lists of a dataset, with `_list`, `_status_rank` and so on. */
export function rangeRowsSql(dataset: string, lists: readonly ListRows[]): string {
  return lists.map((list) => listRowsSql(dataset, list)).join(' UNION ALL ');
}

/** Rows without `_status_rank`, which reads no coverage. */
export function bareRowsSql(dataset: string, lists: readonly ListRows[]): string {
  const rows = lists.map((list) => ({ ...list, constantRank: 0 }));
  return `SELECT * EXCLUDE (_status_rank) FROM (${rangeRowsSql(dataset, rows)})`;
}

function listRowsSql(dataset: string, { traits, rowsSql, constantRank }: ListRows): string {
  if (traits === undefined)
    return `SELECT t.*, ${marks(undefined, UNKNOWN)} FROM (${rowsSql}) AS t`;
  if (constantRank !== undefined) {
    return `SELECT t.*, ${marks(traits, constantRank)} FROM (${rowsSql}) AS t`;
  }
  if (traits.keyKind !== 'address') return oneKeySql(dataset, traits, rowsSql);
  return `FROM ${viewOf(traits)}`;
}

/** The view of the rows of a list of addresses. */
function viewOf({ number }: Traits): string {
  return `known.list_${number}`;
}

/** Steps that create the view of a list of addresses. */
export function severalSteps(dataset: string, { rowsSql }: ListRows, traits: Traits): JobStep {
  const [several, plain] = [true, false].map((hasSeveral) => {
    const sql = addressSql(dataset, rowsSql, hasSeveral, traits);
    return [`CREATE OR REPLACE VIEW ${viewOf(traits)} AS ${sql}`];
  });
  return {
    exists: `FROM (${rowsSql}) WHERE ${severalSql(traits)}`,
    ifFound: several ?? [],
    ifNone: plain ?? [],
  };
}

/** The columns that every row gets. */
function marks(traits: Traits | undefined, rank: string | number): string {
  return `${traits?.number ?? 'NULL'}::BIGINT AS _list,
    ${traits?.endpointRank ?? 'NULL'}::BIGINT AS _endpoint_rank,
    ${traits === undefined ? 'NULL' : literal(traits.keyKind)} AS _key_kind,
    CAST(${rank} AS BIGINT) AS _status_rank`;
}

/** Lists of tokens, of transactions, and of the whole chain. */
function oneKeySql(dataset: string, traits: Traits, rowsSql: string): string {
  const height = heightOf(dataset);
  const isWhole = traits.keyKind === 'all';
  const [column = ''] = keyColumnsOf(traits);
  const key = isWhole ? "''" : `t.${identifier(column)}`;
  return `SELECT t.*, ${marks(traits, `coalesce(k.status_rank, ${UNKNOWN})`)}
    FROM (${rowsSql}) AS t
    LEFT JOIN known.cover AS k
      ON k.list = ${traits.number} AND k.key = ${key}
      AND k.part = ${isWhole ? `known.part_of(${height})` : WHOLE}
      AND ${height} BETWEEN k.from_block AND k.to_block`;
}

function addressSql(dataset: string, rowsSql: string, hasSeveral: boolean, traits: Traits): string {
  const height = heightOf(dataset);
  const parties = keyColumnsOf(traits);
  const joins = parties.map((column, i) => {
    return `LEFT JOIN known.cover AS p${i}
      ON p${i}.list = ${traits.number} AND p${i}.key = t.${identifier(column)}
      AND ${height} BETWEEN p${i}.from_block AND p${i}.to_block`;
  });
  const ranks = parties.map((_, i) => `p${i}.status_rank`).join(', ');
  const isPlain = parties.map((column) => `NOT coalesce(contains(t.${column}, ','), false)`);
  const plain = `SELECT t.*, ${marks(traits, `coalesce(least(${ranks}), ${UNKNOWN})`)}
    FROM (${rowsSql}) AS t ${joins.join('\n')}`;
  if (!hasSeveral) return plain;
  // Records that name several addresses are rare, so their join may be slow.
  const named = parties
    .map((column) => `SELECT unnest(addresses_in(t.${identifier(column)})) AS key`)
    .join(' UNION ALL ');
  const several = `coalesce((
      SELECT min(c.status_rank) FROM (${named}) AS named
      JOIN known.cover AS c
        ON c.list = ${traits.number} AND c.key = named.key
        AND ${height} BETWEEN c.from_block AND c.to_block
    ), ${UNKNOWN})`;
  return `${plain} WHERE ${isPlain.join(' AND ')}
    UNION ALL
    SELECT t.*, ${marks(traits, several)}
    FROM (${rowsSql}) AS t WHERE NOT (${isPlain.join(' AND ')})`;
}

/**
 * SQL for the complete look-ups by hash among these lists, one query for each: every row of such a
 * list completes the look-up of its hash, unless the hash has an entry at its height.
 */
export function lookUpsSql(dataset: string, lists: readonly ListRows[]): string[] {
  return lists.flatMap(({ traits, rowsSql }) => {
    if (traits?.keyKind !== 'transaction') return [];
    const [column = ''] = keyColumnsOf(traits);
    const height = heightOf(dataset);
    return `SELECT * FROM (
        SELECT DISTINCT ${traits.number}::BIGINT AS list, ${literal(dataset)} AS dataset,
          ${literal(traits.scope)} AS scope, 'transaction' AS key_kind,
          t.${identifier(column)} AS key, ${height} AS from_block, ${height} AS to_block,
          1::BIGINT AS status_rank
        FROM (${rowsSql}) AS t
      ) AS l
      ANTI JOIN lake.look_ups AS o
        ON o.list = l.list AND o.key = l.key
        AND l.from_block BETWEEN o.from_block AND o.to_block`;
  });
}

/**
 * Statements that add the look-ups of a table without a record to `known.look_ups`: each height of
 * a hash once, without the heights at which the hash has an entry or a row.
 */
export function emptyLookUpsSql(
  { dataset, emptyLookUps }: { dataset: string; emptyLookUps?: LookUpsSql | undefined },
  lists: readonly ListCoverage[],
  within: string,
): string[] {
  if (emptyLookUps === undefined || emptyLookUps.files.size === 0) return [];
  const lookUps = lists.filter((list) => isOfLookUps(list) && list.traits.dataset === dataset);
  return lookUps.map(({ traits: { number, scope, ...list } }) => {
    return `INSERT INTO known.look_ups
      WITH l AS (
        SELECT row_number() OVER () AS id, tx_hash, to_block, greatest(from_block, 1 + max(to_block)
          OVER (PARTITION BY tx_hash ORDER BY from_block, to_block
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS from_block
        FROM (${emptyLookUps.sql}) WHERE ${isOf(list)} AND ${within}
      ),
      cuts AS (
        SELECT l.*, o.from_block - 1 AS before, o.to_block + 1 AS after
        FROM l JOIN (FROM lake.look_ups UNION ALL FROM known.look_ups) AS o
          ON o.list = ${number} AND o.key = l.tx_hash
          AND l.from_block <= o.to_block AND l.to_block >= o.from_block
        UNION ALL
        SELECT *, from_block - 1, from_block FROM l
      )
      SELECT ${number}::BIGINT, ${literal(dataset)}, ${literal(scope)}, 'transaction', tx_hash,
        max(after) OVER pieces AS first_block,
        coalesce(lead(before) OVER pieces, to_block) AS last_block, 1::BIGINT
      FROM cuts WINDOW pieces AS (PARTITION BY id ORDER BY before, after)
      QUALIFY first_block <= last_block`;
  });
}

/** SQL that is true where a record names several addresses; undefined if none can. */
export function severalSql(traits: Traits): string | undefined {
  if (traits.keyKind !== 'address') return undefined;
  const parties = keyColumnsOf(traits);
  return parties.map((column) => `coalesce(contains(${column}, ','), false)`).join(' OR ');
}

/** The columns in which the list finds its keys. */
function keyColumnsOf(traits: Traits): readonly string[] {
  return findList(traits)?.keyColumns ?? [];
}

function heightOf(dataset: string): string {
  return `t.${identifier(datasetNamed(dataset).heightColumn)}`;
}
