-- The legs of address_activity before records that several lists hold are counted once: every leg
-- of every list, with the list it stands in. A macro, because the view needs them twice, and
-- DuckDB would compute a named subquery that is used twice for all rows before it filters any.
CREATE MACRO ledger_legs() AS TABLE
WITH exported AS (
  SELECT DISTINCT address FROM lake.coverage WHERE side IS NOT NULL
),
-- One row per direction, so that the join below is one of equality but for the heights.
seen AS (
  SELECT endpoint, variant, address, from_block, to_block, status, direction
  FROM lake.coverage
  JOIN (VALUES ('out', 'to'), ('in', 'from')) AS directions (direction, other_side)
    ON side <> other_side
),
records AS (
  SELECT 'transactions' AS source, 'value' AS leg, block_number, block_time, tx_hash,
    from_address, to_address, from_addresses, to_addresses,
    symbol, NULL::VARCHAR AS token_address, NULL::VARCHAR AS token_id,
    NULL::VARCHAR AS token_standard, amount_text, amount,
    NULL::VARCHAR AS tx_status, NULL::BOOLEAN AS moves, _endpoint, _variant
  FROM lake.transactions
  UNION ALL
  SELECT 'transactions', 'fee', block_number, block_time, tx_hash,
    from_address, NULL, from_addresses, NULL,
    symbol, NULL, NULL, NULL, tx_fee_text, tx_fee,
    NULL, true, _endpoint, _variant
  FROM lake.transactions
  UNION ALL
  SELECT 'internal_transactions', 'internal', block_number, block_time, tx_hash,
    from_address, to_address, from_addresses, to_addresses,
    NULL, NULL, NULL, NULL, amount_text, amount,
    -- These run code in the place of the caller: no value goes to the address they name.
    NULL, CASE WHEN lower(operation) IN ('delegatecall', 'staticcall', 'callcode') THEN false END,
    _endpoint, _variant
  FROM lake.internal_transactions
  UNION ALL
  SELECT 'token_transfers', 'token', block_number, block_time, tx_hash,
    from_address, to_address, from_addresses, to_addresses,
    symbol, token_address, token_id, token_standard, amount_text, amount,
    NULL, true, _endpoint, _variant
  FROM lake.token_transfers
),
legs AS (
  SELECT records.*, direction,
    CASE direction WHEN 'out' THEN to_address ELSE from_address END AS counterparty,
    unnest(
      CASE
        WHEN direction = 'out' AND len(from_addresses) > 1 THEN list_distinct(from_addresses)
        WHEN direction = 'out' THEN from_addresses
        WHEN len(to_addresses) > 1 THEN list_distinct(to_addresses)
        ELSE to_addresses
      END
    ) AS address
  FROM records CROSS JOIN (VALUES ('out'), ('in')) AS directions (direction)
)
SELECT
  legs.address, block_number, block_time, tx_hash, leg, legs.direction, counterparty,
  symbol, token_address, token_id, token_standard, amount_text,
  CAST(
    CASE
      WHEN NOT moves OR amount = 0 THEN 0
      WHEN len(from_addresses) > 1 OR len(to_addresses) > 1 THEN NULL
      WHEN moves THEN CASE legs.direction WHEN 'out' THEN -amount ELSE amount END
    END AS DECIMAL(38, 18)
  ) AS signed_amount,
  tx_status, source,
  coalesce(seen.status, 'none') AS coverage_status,
  _endpoint, _variant
FROM legs
SEMI JOIN exported ON exported.address = legs.address
LEFT JOIN seen
  ON seen.address = legs.address
  AND seen.endpoint = legs._endpoint
  AND seen.variant = legs._variant
  AND seen.direction = legs.direction
  AND legs.block_number BETWEEN seen.from_block AND seen.to_block;
