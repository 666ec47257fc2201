-- The signed ledger of every exported address: one row per address and leg of a record that names
-- it. Legs: `value` (primary value), `fee` (the sender pays it, whatever the status), `internal`
-- (value moved by calls), `token`.
--
-- A transfer from an address to itself gives two rows, one `out` and one `in`, whose sum is zero;
-- counterparty is then the address itself. A record that names several senders or recipients gives
-- a row to each of them: amount_text stays, and signed_amount is NULL, because nobody can tell
-- whose share is how much.
--
-- signed_amount is NULL, never guessed, where the status is unknown (records of value and internal
-- legs carry none), and where the amount does not fit. It is 0 for what surely moved nothing:
-- failed transactions, calls that cannot move value, amounts of zero. Token legs are records of
-- events, which only successful transactions leave. Sum amount_text with exact_sum where
-- signed_amount is NULL for its size; SUM over DECIMAL ends with an error past 1e20.
--
-- A record that several lists of one dataset hold counts once: in the list that is complete for
-- the address, if there is one.
--
-- column: address | The exported address this row is about | from_addresses or to_addresses
-- column: block_number | Height of the block | block_number
-- column: block_time | Time of the block [UTC] | block_time
-- column: tx_hash | Hash of the transaction | tx_hash
-- column: leg | value, fee, internal or token | derived
-- column: direction | out (the address pays) or in (the address receives) | derived
-- column: counterparty | The other side: several addresses are separated by commas; NULL for fees
--   and creations | to_address or from_address
-- column: symbol | Symbol of what moves; NULL on internal legs, whose records have none | symbol
-- column: token_address | Contract of the token; NULL for the native token | token_address
-- column: token_id | Id of the token for NFT standards | token_id
-- column: token_standard | Protocol type of the token; NULL for the native token | token_standard
-- column: amount_text | Exact amount, without sign [native token or token] | amount_text or
--   tx_fee_text
-- column: signed_amount | What the address gains (positive) or loses (negative); NULL where it is
--   unknown [native token or token] | amount or tx_fee
-- column: tx_status | success, fail or pending; NULL where no record says it | derived
-- column: source | Dataset the record stands in | derived
-- column: coverage_status | complete where the list that holds the record is complete for the
--   address at this height; else the status of its coverage, or none | lake.coverage
CREATE VIEW address_activity AS
WITH exported AS NOT MATERIALIZED (
  SELECT DISTINCT address FROM lake.coverage WHERE side IS NOT NULL
),
-- One row per direction, so that the join below is one of equality but for the heights.
seen AS NOT MATERIALIZED (
  SELECT endpoint, variant, address, from_block, to_block, status, 'out' AS direction
  FROM lake.coverage WHERE side <> 'to'
  UNION ALL
  SELECT endpoint, variant, address, from_block, to_block, status, 'in'
  FROM lake.coverage WHERE side <> 'from'
),
records AS NOT MATERIALIZED (
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
legs AS NOT MATERIALIZED (
  SELECT *, 'out' AS direction, to_address AS counterparty,
    unnest(CASE WHEN len(from_addresses) > 1 THEN list_distinct(from_addresses)
           ELSE from_addresses END) AS address
  FROM records
  UNION ALL
  SELECT *, 'in', from_address,
    unnest(CASE WHEN len(to_addresses) > 1 THEN list_distinct(to_addresses)
           ELSE to_addresses END)
  FROM records
),
ledger AS NOT MATERIALIZED (
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
    AND legs.block_number BETWEEN seen.from_block AND seen.to_block
),
shared AS NOT MATERIALIZED (
  SELECT DISTINCT endpoint AS _endpoint, variant AS _variant
  FROM lake.coverage WHERE is_shared
)
SELECT * EXCLUDE (_endpoint, _variant)
FROM ledger ANTI JOIN shared USING (_endpoint, _variant)
UNION ALL
SELECT * EXCLUDE (_endpoint, _variant)
FROM ledger SEMI JOIN shared USING (_endpoint, _variant)
QUALIFY dense_rank() OVER (
  PARTITION BY address, leg, direction, block_number, block_time, tx_hash,
    counterparty, token_address, token_standard
  ORDER BY coverage_status = 'complete' DESC, _endpoint, _variant
) = 1;
