-- Blocks that declare another number of transactions or internal transactions than a list of the
-- whole block holds, though both were read completely: either records are missing or doubled, or
-- the service contradicts itself. Read these blocks again with windrow refetch; what stays then is
-- the service's own. Blocks whose declaration or list is not complete are not compared.
--
-- severity: error
WITH declarations AS (
  SELECT 'primary' AS axis, _endpoint, block_number, block_hash,
    unnest(['transactions', 'internal_transactions']) AS dataset,
    unnest([txn_count, txn_internal]) AS declared
  FROM known.blocks
  WHERE _status_rank = 1
  UNION ALL
  SELECT 'zone', _endpoint, block_number, block_hash, 'zone_transactions', txn_count
  FROM known.zone_blocks
  WHERE _status_rank = 1
),
declared AS (
  SELECT axis, dataset, block_number, declared,
    any_value(block_hash) AS block_hash, list(DISTINCT _endpoint ORDER BY _endpoint) AS declared_by
  FROM declarations
  WHERE declared IS NOT NULL
  GROUP BY axis, dataset, block_number, declared
),
whole_lists AS (
  SELECT dataset, list, endpoint, variant
  FROM lake.lists
  WHERE key_kind = 'all' AND scope = ''
    AND dataset IN ('transactions', 'internal_transactions', 'zone_transactions')
),
records AS (
  SELECT 'transactions' AS dataset, _endpoint, _variant, block_number, tx_hash
  FROM lake.transactions
  UNION ALL
  SELECT 'internal_transactions', _endpoint, _variant, block_number, tx_hash
  FROM lake.internal_transactions
  UNION ALL
  SELECT 'zone_transactions', _endpoint, _variant, block_number, tx_hash
  FROM lake.zone_transactions
),
landed AS (
  SELECT l.list, r.block_number, count(*) AS landed, min(r.tx_hash, 3) AS examples
  FROM records AS r
  JOIN whole_lists AS l
    ON l.dataset = r.dataset AND l.endpoint = r._endpoint AND l.variant = r._variant
  GROUP BY l.list, r.block_number
),
findings AS (
  SELECT d.*, l.list, l.endpoint, l.variant,
    coalesce(landed.landed, 0) AS landed, coalesce(landed.examples, []) AS examples
  FROM declared AS d
  JOIN whole_lists AS l ON l.dataset = d.dataset
  JOIN known.list_parts AS p
    ON p.list = l.list AND p.key = '' AND p.part = known.part_of(d.block_number)
    AND d.block_number BETWEEN p.from_block AND p.to_block AND p.status_rank = 1
  LEFT JOIN landed ON landed.list = l.list AND landed.block_number = d.block_number
  WHERE d.declared <> coalesce(landed.landed, 0)
)
SELECT
  'Block ' || block_number || ' of the ' || axis || ' chain declares ' || declared
  || CASE dataset WHEN 'internal_transactions' THEN ' internal' ELSE '' END
  || CASE declared WHEN 1 THEN ' transaction' ELSE ' transactions' END
  || ', and the list of the whole block holds ' || landed
  || ': ' || abs(declared - landed)
  || CASE WHEN declared > landed THEN ' missing' ELSE ' too many' END AS finding,
  axis, dataset, block_number, block_hash,
  declared, declared_by, landed, endpoint, variant, examples AS tx_hashes
FROM findings
ORDER BY axis, block_number, dataset, declared, endpoint, variant;
