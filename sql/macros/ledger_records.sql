-- The legs of address_activity before they are assigned to addresses: one row per record, leg and
-- direction. `moves` is true where the record moved its amount, false where it did not, and NULL
-- where this is unknown. Scopes name the lists that would hold the record.
CREATE MACRO ledger_records() AS TABLE
SELECT 'primary' AS axis, 'transactions' AS source, leg, direction,
  block_number, block_time, tx_hash,
  from_address, CASE leg WHEN 'value' THEN to_address END AS to_address,
  symbol, NULL::VARCHAR AS token_address, NULL::VARCHAR AS token_id,
  NULL::VARCHAR AS token_standard,
  CASE leg WHEN 'value' THEN amount_text ELSE tx_fee_text END AS amount_text,
  CASE leg WHEN 'value' THEN amount ELSE tx_fee END AS amount,
  tx_status,
  CASE
    WHEN leg = 'fee' THEN CASE WHEN tx_status = 'pending' THEN NULL ELSE true END
    WHEN tx_status = 'success' THEN true
    WHEN tx_status = 'fail' THEN false
  END AS moves,
  '' AS scope, NULL::VARCHAR AS narrow_scope
FROM transactions
CROSS JOIN (VALUES ('value', 'out'), ('value', 'in'), ('fee', 'out')) AS kinds (leg, direction)
UNION ALL
SELECT 'primary', 'internal_transactions', 'internal', direction,
  block_number, block_time, tx_hash, from_address, to_address,
  NULL, NULL, NULL, NULL, amount_text, amount, tx_status,
  CASE
    -- These run code in the place of the caller: no value goes to the address they name.
    WHEN lower(operation) IN ('delegatecall', 'staticcall', 'callcode') THEN false
    WHEN tx_status = 'fail' THEN false
    WHEN tx_status = 'success' AND operation IS NOT NULL THEN true
  END,
  '', NULL
FROM internal_transactions CROSS JOIN (VALUES ('out'), ('in')) AS directions (direction)
UNION ALL
SELECT 'primary', 'token_transfers', 'token', direction,
  block_number, block_time, tx_hash, from_address, to_address,
  symbol, token_address, token_id, token_standard, amount_text, amount, tx_status,
  CASE WHEN tx_status = 'fail' THEN false WHEN tx_status = 'pending' THEN NULL ELSE true END,
  'token_standard=' || token_standard,
  'token_address=' || token_address || '&token_standard=' || token_standard
FROM token_transfers CROSS JOIN (VALUES ('out'), ('in')) AS directions (direction)
UNION ALL
-- Moves on the zone chain: a deposit arrives there, a withdrawal leaves. For all other kinds both
-- parties have a row, and the amount that moved is unknown.
SELECT 'zone', 'cross_chain_transfers', 'cross_chain', legs.direction,
  zone_block_number, zone_block_time, zone_tx_hash, source_address, target_address,
  NULL, token_address, token_id, token_standard, amount_text, amount,
  cross_status,
  CASE
    WHEN cross_status = 'fail' THEN false
    WHEN cross_status = 'success' AND is_known THEN true
  END,
  '', 'token_address=' || token_address
FROM (
  SELECT *,
    coalesce(cross_type = 'Deposit' AND direction = 'MainToZone', false) AS arrives,
    coalesce(cross_type IN ('Withdraw', 'BatchWithdraw') AND direction = 'ZoneToMain', false)
      AS leaves,
    arrives OR leaves AS is_known
  FROM cross_chain_transfers
) AS records
JOIN (VALUES ('out'), ('in')) AS legs (direction)
  ON NOT is_known OR (legs.direction = 'in') = arrives
UNION ALL
SELECT 'zone', 'zone_transactions', 'zone', 'out',
  block_number, block_time, tx_hash, from_address, NULL,
  NULL, NULL, NULL, NULL, amount_text, amount,
  tx_status,
  CASE
    WHEN tx_status = 'fail' OR amount_text IS NULL OR crossed.zone_tx_hash IS NOT NULL THEN false
  END,
  '', NULL
FROM zone_transactions
LEFT JOIN (SELECT DISTINCT zone_tx_hash FROM lake.cross_chain_transfers) AS crossed
  ON crossed.zone_tx_hash = tx_hash;
