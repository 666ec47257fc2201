-- Records that one list holds and another one lacks, though both are complete for a key that the
-- record names: its sender, its recipient, its token, its hash, or all of its block. The list of a
-- token's transfers, for instance, must hold every transfer of it that an address or a block shows.
-- Either records were lost, or the service contradicts itself. Read the lists that lack them again
-- with windrow refetch; what stays then is the service's own. Records that name several addresses
-- in one field are looked for by their other keys alone.
--
-- severity: error
WITH held AS (
  SELECT 'transactions' AS dataset, _list, block_number, tx_hash, from_address, to_address,
    NULL AS token_address, NULL AS token_id, NULL AS token_standard, NULL AS amount_text
  FROM known.transactions WHERE _status_rank = 1
  UNION ALL
  SELECT 'internal_transactions', _list, block_number, tx_hash, from_address, to_address,
    NULL, NULL, NULL, amount_text
  FROM known.internal_transactions WHERE _status_rank = 1
  UNION ALL
  SELECT 'token_transfers', _list, block_number, tx_hash, from_address, to_address,
    token_address, token_id, token_standard, amount_text
  FROM known.token_transfers WHERE _status_rank = 1
  UNION ALL
  SELECT 'zone_transactions', _list, block_number, tx_hash, from_address, NULL,
    NULL, NULL, NULL, NULL
  FROM known.zone_transactions WHERE _status_rank = 1
  UNION ALL
  SELECT 'cross_chain_transfers', _list, zone_block_number, zone_tx_hash,
    source_address, target_address, token_address, token_id, token_standard, amount_text
  FROM known.cross_chain_transfers WHERE _status_rank = 1
),
records AS MATERIALIZED (
  SELECT row_number() OVER () AS record, *
  FROM (
    SELECT dataset, tx_hash, token_address, token_id,
      -- A transaction is one by its hash, however lists spell its parties.
      CASE WHEN dataset NOT IN ('transactions', 'zone_transactions')
        THEN concat_ws(' ', coalesce(from_address, '-'), coalesce(to_address, '-'), amount_text)
      END AS identity,
      min(block_number) AS block_number, min(from_address) AS from_address,
      min(to_address) AS to_address, min(token_standard) AS token_standard,
      list(DISTINCT _list) AS lists
    FROM held
    WHERE tx_hash IS NOT NULL
    GROUP BY ALL
  )
),
complete_lists AS MATERIALIZED (
  SELECT l.list, l.dataset, l.key_kind, l.side, l.scope, p.key, p.part, p.from_block, p.to_block
  FROM known.list_parts AS p JOIN lake.lists AS l ON l.list = p.list
  WHERE p.status_rank = 1
),
-- Every complete list that ought to hold the record. One join a key: together they are slow.
due AS (
  SELECT r.*, l.list, l.scope, l.key
  FROM records AS r
  JOIN complete_lists AS l
    ON l.key_kind = 'address' AND l.dataset = r.dataset AND l.key = r.from_address
    AND r.block_number BETWEEN l.from_block AND l.to_block
  WHERE l.side <> 'to'
  UNION ALL
  SELECT r.*, l.list, l.scope, l.key
  FROM records AS r
  JOIN complete_lists AS l
    ON l.key_kind = 'address' AND l.dataset = r.dataset AND l.key = r.to_address
    AND r.block_number BETWEEN l.from_block AND l.to_block
  WHERE l.side <> 'from'
  UNION ALL
  SELECT r.*, l.list, l.scope, l.key
  FROM records AS r
  JOIN complete_lists AS l
    ON l.key_kind = 'token' AND l.dataset = r.dataset AND l.key = r.token_address
    AND r.block_number BETWEEN l.from_block AND l.to_block
  UNION ALL
  SELECT r.*, l.list, l.scope, l.key
  FROM records AS r
  JOIN complete_lists AS l
    ON l.key_kind = 'transaction' AND l.dataset = r.dataset AND l.key = r.tx_hash
    AND r.block_number BETWEEN l.from_block AND l.to_block
  UNION ALL
  SELECT r.*, l.list, l.scope, l.key
  FROM records AS r
  JOIN complete_lists AS l
    ON l.key_kind = 'all' AND l.dataset = r.dataset AND l.part = known.part_of(r.block_number)
    AND r.block_number BETWEEN l.from_block AND l.to_block
),
lacking AS (
  SELECT record, list, any_value(lists) AS lists, min(key) AS key,
    any_value(block_number) AS block_number, any_value(tx_hash) AS tx_hash
  FROM due
  WHERE NOT list_contains(lists, list)
    AND scope IN (
      '', 'token_standard=' || token_standard, 'token_address=' || token_address,
      'token_address=' || token_address || '&token_standard=' || token_standard
    )
  GROUP BY record, list
),
findings AS (
  SELECT list, key, count(*) AS missing,
    min(block_number) AS from_block, max(block_number) AS to_block,
    list_slice(list(DISTINCT tx_hash ORDER BY tx_hash), 1, 3) AS tx_hashes,
    list_distinct(flatten(list(lists))) AS holders
  FROM lacking
  GROUP BY list, key
)
SELECT
  'The list ' || l.endpoint || CASE l.variant WHEN '' THEN '' ELSE '?' || l.variant END
  || CASE f.key WHEN '' THEN '' ELSE ' of ' || f.key END
  || ' lacks ' || f.missing || CASE f.missing WHEN 1 THEN ' record' ELSE ' records' END
  || ' of ' || l.dataset
  || CASE WHEN f.from_block = f.to_block THEN ' in block ' || f.from_block
    ELSE ' in blocks ' || f.from_block || ' to ' || f.to_block END
  || ' that other complete lists hold' AS finding,
  l.axis, l.dataset, l.endpoint, l.variant, f.key, f.missing, f.from_block, f.to_block,
  f.tx_hashes,
  (
    SELECT list(endpoint || CASE variant WHEN '' THEN '' ELSE '?' || variant END ORDER BY h.list)
    FROM lake.lists AS h WHERE list_contains(f.holders, h.list)
  ) AS held_by
FROM findings AS f JOIN lake.lists AS l ON l.list = f.list
ORDER BY l.dataset, l.endpoint, l.variant, f.key;
