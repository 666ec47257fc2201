import { column } from '../../catalogue/entry.ts';
import { PART_BLOCKS, partListSql, WHOLE } from '../../curate/rule/range-rows.ts';
import { literal } from '../../land/storage/sql-text.ts';

/** Schema `known`: what views look up in coverage, in tables that are fast to join. */

/** The ends of an interval, which nothing clips. */
const INTERVAL = { from: 'from_block', to: 'to_block' };

const PART_COLUMNS = [
  column('key', 'VARCHAR', 'Key; empty for lists of the whole chain'),
  column('side', 'VARCHAR', 'from, to or both; else NULL or empty'),
  column(
    'part',
    'BIGINT',
    `Height divided by ${PART_BLOCKS} for lists of the whole chain, else ${WHOLE}`,
  ),
  column('from_block', 'BIGINT', 'First block of the interval'),
  column('to_block', 'BIGINT', 'Last block of the interval'),
  column('status_rank', 'BIGINT', '1 complete, 6 failed'),
];

/**
 * The ranges of `complete_ranges` for every followed address. On a chain where an address was not
 * asked for by name, its ranges are those of the lists of whole blocks (key '').
 */
const RANGES_SQL = `
WITH ledger AS (
  SELECT axis, dataset, scope, side, key, from_block, to_block, status
  FROM lake.reach
  JOIN (
    VALUES ('primary', 'transactions'), ('primary', 'internal_transactions'),
      ('primary', 'token_transfers'), ('zone', 'zone_transactions'),
      ('zone', 'cross_chain_transfers')
  ) AS datasets (axis, dataset) USING (dataset)
  WHERE key_kind IN ('address', 'all')
),
wanted_lists AS (
  SELECT key, axis, count(DISTINCT (dataset, scope, side)) AS lists,
    min(from_block) AS asked_from, max(to_block) AS asked_to
  FROM ledger
  GROUP BY key, axis
),
-- Heights at which the number of complete lists changes. A list that ends where it goes on at once
-- changes nothing.
changes AS (
  SELECT key, axis, block_number, sum(change) AS change
  FROM (
    SELECT key, axis, from_block AS block_number, 1 AS change
    FROM ledger WHERE status = 'complete'
    UNION ALL
    SELECT key, axis, to_block + 1, -1 FROM ledger WHERE status = 'complete'
  )
  GROUP BY key, axis, block_number
  HAVING sum(change) <> 0
),
stretches AS (
  SELECT key, axis, block_number AS from_block,
    lead(block_number) OVER heights - 1 AS to_block,
    sum(change) OVER heights AS complete_lists
  FROM changes
  WINDOW heights AS (PARTITION BY key, axis ORDER BY block_number)
),
ranges AS (
  SELECT key, axis, from_block, to_block, asked_from, asked_to
  FROM stretches JOIN wanted_lists USING (key, axis)
  WHERE complete_lists = lists
)
SELECT key AS followed_address, axis, from_block, to_block, asked_from, asked_to
FROM ranges WHERE key <> ''
UNION ALL
SELECT followed_address, axis, from_block, to_block, asked_from, asked_to
FROM (SELECT DISTINCT key AS followed_address FROM ledger WHERE key <> '') AS followed
JOIN ranges ON ranges.key = ''
WHERE (followed_address, axis) NOT IN (SELECT (key, axis) FROM wanted_lists)
ORDER BY followed_address, axis, from_block`;

/**
 * Those of these ranges in which the transfers of a kind of token are complete, in and out: kinds
 * that were asked for of the address, and kinds that whole blocks have in all of the range.
 */
const TOKEN_RANGES_SQL = `
WITH asked AS (
  SELECT key, scope FROM lake.reach
  WHERE dataset = 'token_transfers' AND key_kind = 'address'
  GROUP BY key, scope
  HAVING count(DISTINCT side) = 2
),
whole AS (
  SELECT scope, from_block, to_block FROM lake.reach
  WHERE dataset = 'token_transfers' AND key_kind = 'all' AND status = 'complete'
)
SELECT followed_address, scope, ranges.from_block
FROM known.complete_ranges AS ranges JOIN asked ON asked.key = followed_address
WHERE axis = 'primary'
UNION
SELECT followed_address, scope, ranges.from_block
FROM known.complete_ranges AS ranges JOIN whole
  ON whole.from_block <= ranges.from_block AND whole.to_block >= ranges.to_block
WHERE axis = 'primary'`;

/**
 * The blocks over which nodes agree with the ledger of an address, by asset: native value (asset
 * ''), a token, an id of it, and all of its tokens together (asset '*').
 */
const RECONCILED_SQL = `
WITH results AS (
  SELECT address AS owner, asset_kind, coalesce(token_address, '') AS asset,
    coalesce(token_id, '') AS asset_id, max(read_at) AS compared_at,
    arg_max(from_block, read_at) AS from_block, arg_max(to_block, read_at) AS to_block,
    arg_max(CASE WHEN verdict IN ('agrees', 'explained') THEN 1 ELSE 0 END, read_at) AS agrees
  FROM lake.reconciliations
  WHERE asset_kind = 'native' OR token_address IS NOT NULL
  GROUP BY ALL
),
parts AS (
  SELECT owner, asset, asset_id, from_block, to_block, agrees, compared_at
  FROM results WHERE asset_id <> ''
  UNION ALL
  SELECT owner, asset, '', from_block, to_block, agrees, compared_at FROM results
  UNION ALL
  SELECT owner, '*', '', from_block, to_block, agrees, compared_at
  FROM results WHERE asset <> ''
),
ranges AS (
  SELECT owner, asset, asset_id, max(from_block) AS from_block, min(to_block) AS to_block,
    min(agrees) AS agrees, min(compared_at) AS read_at
  FROM parts
  GROUP BY ALL
)
SELECT owner, asset, asset_id, from_block, to_block, read_at FROM ranges WHERE agrees = 1`;

/** The table of these ranges. */
export const RECONCILED = {
  name: 'reconciled',
  comment: 'Blocks over which nodes agree with the ledger of an address, by asset',
  columns: [
    column('owner', 'VARCHAR', 'Address, in lower case'),
    column('asset', 'VARCHAR', "Contract of the token; empty for native value, '*' for all"),
    column('asset_id', 'VARCHAR', 'Id of a token_1155; empty for all ids'),
    column('from_block', 'BIGINT', 'First block of the range'),
    column('to_block', 'BIGINT', 'Last block of the range'),
    column('read_at', 'TIMESTAMPTZ', 'When the oldest of these comparisons began [UTC]'),
  ],
  rowsSql: RECONCILED_SQL,
};

/**
 * Whether any address, token or method has a name, or was reconciled; few lakes have these rows.
 * DuckDB carries out a left join even with an empty table from which no column is asked for: a
 * count of 5 million transactions takes over ten times as long. It leaves out one whose condition
 * is false as a whole, so views join names under this condition.
 */
const HAS_NAMES = 'known.has_names';

/** Statements that create the macro, or replace it in a warehouse that is filled. */
export function hasNamesSql(hasNames: boolean): string[] {
  const comment = 'Whether an address, token or method has a name, or was reconciled';
  return [
    `CREATE OR REPLACE MACRO ${HAS_NAMES}() AS ${hasNames}`,
    `COMMENT ON MACRO ${HAS_NAMES} IS ${literal(comment)}`,
  ];
}

/** Tables of the schema `known`, filled from coverage and reconciliations. */
export const KNOWN_TABLES = [
  {
    name: 'reach_parts',
    comment: 'Best coverage of addresses and whole chains, in parts that rows find by equality',
    columns: [
      column('dataset', 'VARCHAR', 'Dataset'),
      column('scope', 'VARCHAR', 'Filters of the records, as column=value; or empty'),
      ...PART_COLUMNS,
    ],
    rowsSql: `SELECT dataset, scope, key, side, unnest(${partListSql(INTERVAL)}) AS part,
        from_block, to_block, status_rank
      FROM lake.reach WHERE key_kind IN ('address', 'all')`,
  },
  {
    name: 'followed',
    comment: 'Addresses that were asked for by name',
    columns: [column('address', 'VARCHAR', 'Address, in lower case')],
    rowsSql: `SELECT DISTINCT key AS address FROM lake.coverage WHERE key_kind = 'address'`,
  },
  {
    name: 'complete_ranges',
    comment: 'Ranges of blocks in which everything that was asked for of an address is complete',
    columns: [
      column('followed_address', 'VARCHAR', 'Address, in lower case'),
      column('axis', 'VARCHAR', 'primary or zone'),
      column('from_block', 'BIGINT', 'First block of the range'),
      column('to_block', 'BIGINT', 'Last block of the range'),
      column('asked_from', 'BIGINT', 'First block that was asked for'),
      column('asked_to', 'BIGINT', 'Last block that was asked for'),
    ],
    rowsSql: RANGES_SQL,
  },
  {
    name: 'token_ranges',
    comment: 'Ranges of the primary chain in which all transfers of a kind of token are known',
    columns: [
      column('followed_address', 'VARCHAR', 'Address, in lower case'),
      column('scope', 'VARCHAR', 'Kind of token, as column=value'),
      column('from_block', 'BIGINT', 'First block of the range'),
    ],
    rowsSql: TOKEN_RANGES_SQL,
  },
  RECONCILED,
] as const;
