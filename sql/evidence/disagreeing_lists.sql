-- Records of a height of which complete lists hold different numbers of copies.
--
-- for: differing lists
WITH records AS (
  SELECT 'internal_transactions' AS dataset, block_number AS height, _list, tx_hash,
    from_address, to_address, NULL AS token_address, NULL AS token_id, NULL AS kind, amount_text
  FROM known.internal_transactions
  WHERE _status_rank = 1
    AND block_number IN (FROM known.suspects_of('internal_transactions'))
  UNION ALL
  SELECT 'token_transfers', block_number, _list, tx_hash,
    from_address, to_address, token_address, token_id, token_standard, amount_text
  FROM known.token_transfers
  WHERE _status_rank = 1 AND block_number IN (FROM known.suspects_of('token_transfers'))
  UNION ALL
  SELECT 'cross_chain_transfers', zone_block_number, _list, zone_tx_hash,
    source_address, target_address, token_address, token_id,
    cross_type || coalesce(main_tx_hash, ''), amount_text
  FROM known.cross_chain_transfers
  WHERE _status_rank = 1
    AND zone_block_number IN (FROM known.suspects_of('cross_chain_transfers'))
),
copies AS (
  SELECT *, count(*) AS copies
  FROM records
  WHERE tx_hash IS NOT NULL
  GROUP BY ALL
),
differing AS (
  SELECT height, dataset, tx_hash,
    list(_list ORDER BY _list) AS numbers, list(copies ORDER BY _list) AS held
  FROM copies
  GROUP BY height, dataset, tx_hash, from_address, to_address, token_address, token_id, kind,
    amount_text
  HAVING min(copies) < max(copies)
)
SELECT
  height, dataset,
  (
    SELECT list(endpoint || '?' || variant ORDER BY l.list)
    FROM lake.lists AS l WHERE list_contains(differing.numbers, l.list)
  ) AS lists,
  count(*) AS records, min(tx_hash) AS subject,
  min({tx_hash: tx_hash, held: held}).held AS copies, list_sort(min(tx_hash, 3)) AS examples
FROM differing
GROUP BY height, dataset, differing.numbers;
