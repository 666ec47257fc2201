-- The ranges of blocks in which everything that was asked for of an address is complete: one row
-- per chain and range, with the blocks that were asked for. There are no rows for an address that
-- no list was asked for by name, whatever blocks were exported. On a chain where the address itself
-- was not asked for, the ranges are those of the lists of whole blocks. Lists that hold the same
-- records stand in for each other. Addresses may be written in upper or lower case.
CREATE MACRO complete_ranges(wanted) AS TABLE
WITH known AS (
  SELECT axis, dataset, scope, side, key, from_block, to_block, status
  FROM lake.reach
  JOIN (
    VALUES ('primary', 'transactions'), ('primary', 'internal_transactions'),
      ('primary', 'token_transfers'), ('zone', 'zone_transactions'),
      ('zone', 'cross_chain_transfers')
  ) AS ledger (axis, dataset) USING (dataset)
  WHERE (key_kind = 'address' AND key = lower(wanted)) OR key_kind = 'all'
),
asked AS (
  SELECT * FROM known WHERE key <> ''
  UNION ALL
  SELECT * FROM known
  WHERE key = '' AND EXISTS (FROM known WHERE key <> '')
    AND axis NOT IN (SELECT axis FROM known WHERE key <> '')
),
wanted_lists AS (
  SELECT axis, count(DISTINCT (dataset, scope, side)) AS lists,
    min(from_block) AS asked_from, max(to_block) AS asked_to
  FROM asked
  GROUP BY axis
),
-- Heights at which the number of complete lists changes. A list that ends where it goes on at once
-- changes nothing.
changes AS (
  SELECT axis, block_number, sum(change) AS change
  FROM (
    SELECT axis, from_block AS block_number, 1 AS change FROM asked WHERE status = 'complete'
    UNION ALL
    SELECT axis, to_block + 1, -1 FROM asked WHERE status = 'complete'
  )
  GROUP BY axis, block_number
  HAVING sum(change) <> 0
),
stretches AS (
  SELECT axis, block_number AS from_block,
    lead(block_number) OVER heights - 1 AS to_block,
    sum(change) OVER heights AS complete_lists
  FROM changes
  WINDOW heights AS (PARTITION BY axis ORDER BY block_number)
)
SELECT axis, from_block, to_block, asked_from, asked_to
FROM stretches JOIN wanted_lists USING (axis)
WHERE complete_lists = lists
ORDER BY axis, from_block;
