-- The legs of the primary chain before they are assigned to addresses: one row per record, leg and
-- direction. `moves` is true where the record moved its amount, false where it did not, and NULL
-- where this is unknown. Scopes name the lists that would hold the record.
SELECT 'primary' AS axis, 'transactions' AS source, leg, direction,
  block_number, block_time, block_date, tx_hash,
  from_address, CASE leg WHEN 'value' THEN to_address END AS to_address,
  symbol, NULL::VARCHAR AS token_address, NULL::VARCHAR AS token_id,
  NULL::VARCHAR AS token_standard,
  CASE leg WHEN 'value' THEN amount_text ELSE tx_fee_text END AS amount_text,
  CASE leg WHEN 'value' THEN amount ELSE tx_fee END AS amount,
  CASE leg WHEN 'value' THEN amount_double ELSE TRY_CAST(tx_fee_text AS DOUBLE) END
    AS amount_double,
  tx_status,
  CASE
    WHEN leg = 'fee' THEN CASE WHEN tx_status = 'pending' THEN NULL ELSE true END
    WHEN tx_status = 'success' THEN true
    WHEN tx_status = 'fail' THEN false
  END AS moves,
  '' AS scope, NULL::VARCHAR AS narrow_scope, status_rank_of(coverage_status) AS status_rank
FROM curated.transactions
CROSS JOIN (VALUES ('value', 'out'), ('value', 'in'), ('fee', 'out')) AS kinds (leg, direction)
UNION ALL
SELECT 'primary', 'internal_transactions', 'internal', direction,
  i.block_number, i.block_time, i.block_date, i.tx_hash, i.from_address, i.to_address,
  NULL, NULL, NULL, NULL, i.amount_text, i.amount, i.amount_double, i.tx_status,
  CASE
    -- Some services list the transaction itself as its first call, whose leg is `value`. Only
    -- contracts make internal calls.
    WHEN i.from_is_contract IS DISTINCT FROM true
      AND outermost.from_address = i.from_address
      AND (outermost.amount = i.amount OR outermost.amount_text = i.amount_text)
      AND coalesce(outermost.to_address = i.to_address, true)
      THEN false
    -- These run code in the place of the caller: no value goes to the address they name.
    WHEN lower(operation) IN ('delegatecall', 'staticcall', 'callcode') THEN false
    WHEN i.tx_status = 'fail' THEN false
    WHEN i.tx_status = 'success' AND operation IS NOT NULL THEN true
  END,
  '', NULL, status_rank_of(i.coverage_status)
FROM curated.internal_transactions AS i
-- By equality alone: with the other conditions, the join compares every pair of rows.
LEFT JOIN curated.transactions AS outermost
  ON outermost.block_number = i.block_number AND outermost.tx_hash = i.tx_hash
CROSS JOIN (VALUES ('out'), ('in')) AS directions (direction)
UNION ALL
SELECT 'primary', 'token_transfers', 'token', direction,
  block_number, block_time, block_date, tx_hash, from_address, to_address,
  symbol, token_address, token_id, token_standard, amount_text, amount, amount_double, tx_status,
  CASE WHEN tx_status = 'fail' THEN false WHEN tx_status = 'pending' THEN NULL ELSE true END,
  'token_standard=' || token_standard,
  -- Few lakes have lists of one token, and making the text takes longer than looking for them.
  CASE WHEN (SELECT bool_or(contains(scope, 'token_address=')) FROM known.best)
    THEN 'token_address=' || token_address || '&token_standard=' || token_standard
  END,
  status_rank_of(coverage_status)
FROM curated.token_transfers CROSS JOIN (VALUES ('out'), ('in')) AS directions (direction);
