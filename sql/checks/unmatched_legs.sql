-- Cross-chain transfers whose primary or zone transaction is missing, though all transactions of
-- its block were exported completely, or its hash was looked up. Either the service contradicts
-- itself, or records are missing. Transactions that nobody asked for are no findings: see the
-- columns main_unmatched and zone_unmatched of cross_chain_journeys.
--
-- severity: error
SELECT zone_tx_hash, main_tx_hash, cross_type,
  zone_block_number, zone_unmatched, main_block_number, main_unmatched
FROM cross_chain_journeys
WHERE main_unmatched = 'missing' OR zone_unmatched = 'missing'
ORDER BY ALL;
