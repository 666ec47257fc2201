-- The legs of the zone chain, as primary_legs has those of the primary one. A deposit arrives there,
-- a withdrawal leaves. For all other kinds of cross-chain transfers both parties have a row, and the
-- amount that moved is unknown.
SELECT 'zone' AS axis, 'cross_chain_transfers' AS source, 'cross_chain' AS leg, legs.direction,
  zone_block_number AS block_number, zone_block_time AS block_time,
  block_date, zone_tx_hash AS tx_hash,
  source_address AS from_address, target_address AS to_address,
  NULL::VARCHAR AS symbol, token_address, token_id, token_standard, amount_text, amount,
  amount_double,
  cross_status AS tx_status,
  CASE
    WHEN cross_status = 'fail' THEN false
    WHEN cross_status = 'success' AND is_known THEN true
  END AS moves,
  '' AS scope, 'token_address=' || token_address AS narrow_scope,
  status_rank_of(coverage_status) AS status_rank
FROM (
  SELECT *,
    coalesce(cross_type = 'Deposit' AND direction = 'MainToZone', false) AS arrives,
    coalesce(cross_type IN ('Withdraw', 'BatchWithdraw') AND direction = 'ZoneToMain', false)
      AS leaves,
    arrives OR leaves AS is_known
  FROM curated.cross_chain_transfers
) AS records
JOIN (VALUES ('out'), ('in')) AS legs (direction)
  ON NOT is_known OR (legs.direction = 'in') = arrives
UNION ALL
SELECT 'zone', 'zone_transactions', 'zone', 'out',
  block_number, block_time, block_date, tx_hash, from_address, NULL,
  NULL, NULL, NULL, NULL, amount_text, amount, amount_double,
  tx_status,
  CASE
    WHEN tx_status = 'fail' OR amount_text IS NULL OR crossed.zone_tx_hash IS NOT NULL THEN false
  END,
  '', NULL, status_rank_of(coverage_status)
FROM curated.zone_transactions
LEFT JOIN (
  SELECT DISTINCT zone_block_number, zone_tx_hash FROM curated.cross_chain_transfers
) AS crossed
  ON crossed.zone_block_number = block_number AND crossed.zone_tx_hash = tx_hash;
