-- Rows of the lake whose height no coverage reaches, for any address they name: nobody can say what
-- else happened there. Commits bring rows and coverage together, so another program has written to
-- the table or to its log. Move the table folder away and run the pipeline again.
--
-- severity: error
SELECT dataset, endpoint, variant, count(*) AS rows_found,
  min(block_number) AS lowest_block, max(block_number) AS highest_block, min(tx_hash) AS example
FROM (
  SELECT 'transactions' AS dataset, _endpoint AS endpoint, _variant AS variant,
    block_number, tx_hash
  FROM transactions WHERE coverage_status = 'none'
  UNION ALL
  SELECT 'internal_transactions', _endpoint, _variant, block_number, tx_hash
  FROM internal_transactions WHERE coverage_status = 'none'
  UNION ALL
  SELECT 'token_transfers', _endpoint, _variant, block_number, tx_hash
  FROM token_transfers WHERE coverage_status = 'none'
  UNION ALL
  SELECT 'blocks', _endpoint, _variant, block_number, block_hash
  FROM lake.blocks AS b
  ANTI JOIN lake.coverage AS c
    ON c.endpoint = b._endpoint
    AND c.variant = b._variant
    AND b.block_number BETWEEN c.from_block AND c.to_block
)
GROUP BY dataset, endpoint, variant
ORDER BY ALL;
