-- Rows of the lake at heights that no coverage entry includes, for any address that they name.
-- Every commit of windrow holds rows together with their coverage, so another program has written
-- to the table or to its log. Move the table folder away and run the pipeline again.
--
-- severity: error
SELECT
  count(*) || CASE count(*) WHEN 1 THEN ' row of ' ELSE ' rows of ' END || dataset
  || ' from ' || endpoint || CASE variant WHEN '' THEN '' ELSE '?' || variant END
  || CASE count(*) WHEN 1 THEN ' has' ELSE ' have' END || ' no coverage entry, '
  || CASE WHEN min(height) = max(height) THEN 'at height ' || min(height)
    ELSE 'between the heights ' || min(height) || ' and ' || max(height) END AS finding,
  dataset, endpoint, variant, count(*) AS rows_found,
  min(height) AS lowest_block, max(height) AS highest_block,
  list_sort(min(example, 3)) AS examples
FROM (
  SELECT 'transactions' AS dataset, _endpoint AS endpoint, _variant AS variant,
    block_number AS height, tx_hash AS example, _status_rank
  FROM known.transactions
  UNION ALL
  SELECT 'internal_transactions', _endpoint, _variant, block_number, tx_hash, _status_rank
  FROM known.internal_transactions
  UNION ALL
  SELECT 'token_transfers', _endpoint, _variant, block_number, tx_hash, _status_rank
  FROM known.token_transfers
  UNION ALL
  SELECT 'blocks', _endpoint, _variant, block_number, block_hash, _status_rank
  FROM known.blocks
  UNION ALL
  SELECT 'native_holders', _endpoint, _variant, as_of_block, holder_address, _status_rank
  FROM known.native_holders
  UNION ALL
  SELECT 'zone_blocks', _endpoint, _variant, block_number, block_hash, _status_rank
  FROM known.zone_blocks
  UNION ALL
  SELECT 'zone_transactions', _endpoint, _variant, block_number, tx_hash, _status_rank
  FROM known.zone_transactions
  UNION ALL
  SELECT 'cross_chain_transfers', _endpoint, _variant, zone_block_number, zone_tx_hash, _status_rank
  FROM known.cross_chain_transfers
)
WHERE _status_rank = 7
GROUP BY dataset, endpoint, variant
ORDER BY dataset, endpoint, variant;
