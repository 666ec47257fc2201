-- Rows of a height that no coverage entry includes, by list.
WITH uncovered AS (
  SELECT 'transactions' AS dataset, _endpoint AS endpoint, _variant AS variant,
    block_number AS height, tx_hash AS example
  FROM known.transactions WHERE _status_rank = 7
  UNION ALL
  SELECT 'internal_transactions', _endpoint, _variant, block_number, tx_hash
  FROM known.internal_transactions WHERE _status_rank = 7
  UNION ALL
  SELECT 'token_transfers', _endpoint, _variant, block_number, tx_hash
  FROM known.token_transfers WHERE _status_rank = 7
  UNION ALL
  SELECT 'blocks', _endpoint, _variant, block_number, block_hash
  FROM known.blocks WHERE _status_rank = 7
  UNION ALL
  SELECT 'native_holders', _endpoint, _variant, as_of_block, holder_address
  FROM known.native_holders WHERE _status_rank = 7
  UNION ALL
  SELECT 'zone_blocks', _endpoint, _variant, block_number, block_hash
  FROM known.zone_blocks WHERE _status_rank = 7
  UNION ALL
  SELECT 'zone_transactions', _endpoint, _variant, block_number, tx_hash
  FROM known.zone_transactions WHERE _status_rank = 7
  UNION ALL
  SELECT 'cross_chain_transfers', _endpoint, _variant, zone_block_number, zone_tx_hash
  FROM known.cross_chain_transfers WHERE _status_rank = 7
)
SELECT height, dataset, endpoint, variant, count(*) AS records, min(example, 3) AS examples
FROM uncovered
GROUP BY height, dataset, endpoint, variant;
