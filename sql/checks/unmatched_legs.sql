-- Transactions of cross-chain transfers that are absent from an export that must hold them: their
-- whole block or all records of their sender were exported. Either records were lost, or the
-- service contradicts itself. Fetch the blocks again with windrow
-- refetch; findings that remain are contradictions of the service. Transactions that were not
-- requested are no findings: see main_unmatched and zone_unmatched of cross_chain_journeys.
--
-- severity: error
WITH legs AS (
  SELECT *,
    unnest(['primary', 'zone']) AS leg,
    unnest([main_unmatched, zone_unmatched]) AS unmatched,
    unnest([main_ought_to_be, zone_ought_to_be]) AS ought_to_be,
    unnest([main_tx_hash, zone_tx_hash]) AS missing_tx_hash,
    unnest([main_block_number, zone_block_number]) AS missing_block_number
  FROM cross_chain_journeys
  WHERE main_unmatched = 'missing' OR zone_unmatched = 'missing'
)
SELECT
  'The ' || leg || ' transaction ' || missing_tx_hash || ' of a '
  || coalesce(cross_type, 'cross-chain transfer') || ' is missing, though '
  || CASE ought_to_be
    WHEN 'block' THEN 'all of block ' || missing_block_number || ' was exported'
    ELSE 'all that its sender did in block ' || missing_block_number || ' was exported'
  END AS finding,
  CASE leg WHEN 'primary' THEN 'transactions' ELSE 'zone_transactions' END AS dataset,
  leg, missing_tx_hash, missing_block_number, ought_to_be,
  cross_type, cross_status, source_address, zone_tx_hash, zone_block_number,
  main_tx_hash, main_block_number
FROM legs
WHERE unmatched = 'missing'
ORDER BY zone_block_number, zone_tx_hash, leg, missing_tx_hash, finding;
