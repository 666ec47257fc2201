-- Blocks that declare another number of records than a complete list of the whole block holds.
--
-- for: blocks, zone_blocks
WITH declarations AS (
  SELECT _endpoint, block_number, block_hash,
    unnest(['transactions', 'internal_transactions']) AS dataset,
    unnest([txn_count, txn_internal]) AS declared
  FROM known.blocks
  WHERE _status_rank = 1
  UNION ALL
  SELECT _endpoint, block_number, block_hash, 'zone_transactions', txn_count
  FROM known.zone_blocks
  WHERE _status_rank = 1
),
whole_lists AS (
  SELECT dataset, list, endpoint, variant
  FROM lake.lists
  WHERE key_kind = 'all' AND scope = ''
    AND dataset IN ('transactions', 'internal_transactions', 'zone_transactions')
),
declared AS (
  SELECT d.dataset, d.block_number, d.declared, l.list, l.endpoint, l.variant,
    min(d.block_hash) AS block_hash, list(DISTINCT d._endpoint ORDER BY d._endpoint) AS declared_by
  FROM declarations AS d
  JOIN whole_lists AS l ON l.dataset = d.dataset
  JOIN known.cover AS p
    ON p.list = l.list AND p.key = '' AND p.part = known.part_of(d.block_number)
    AND d.block_number BETWEEN p.from_block AND p.to_block AND p.status_rank = 1
  WHERE d.declared IS NOT NULL
  GROUP BY ALL
),
records AS (
  SELECT _list, block_number, tx_hash
  FROM known.transactions
  WHERE block_number IN (SELECT block_number FROM declared WHERE dataset = 'transactions')
  UNION ALL
  SELECT _list, block_number, tx_hash
  FROM known.internal_transactions
  WHERE block_number IN (SELECT block_number FROM declared WHERE dataset = 'internal_transactions')
  UNION ALL
  SELECT _list, block_number, tx_hash
  FROM known.zone_transactions
  WHERE block_number IN (SELECT block_number FROM declared WHERE dataset = 'zone_transactions')
),
landed AS (
  SELECT _list AS list, block_number, count(*) AS landed, min(tx_hash, 3) AS examples
  FROM records
  GROUP BY _list, block_number
)
SELECT
  d.block_number AS height, d.dataset, d.endpoint, d.variant, d.block_hash AS subject,
  d.declared, d.declared_by AS lists,
  coalesce(landed.landed, 0) AS records, coalesce(landed.examples, []) AS examples
FROM declared AS d
LEFT JOIN landed ON landed.list = d.list AND landed.block_number = d.block_number
WHERE d.declared <> coalesce(landed.landed, 0);
