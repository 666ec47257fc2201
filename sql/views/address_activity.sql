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
-- column: address | The exported address this row is about
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: tx_hash | Hash of the transaction
-- column: leg | value, fee, internal or token
-- column: direction | out (the address pays) or in (the address receives)
-- column: counterparty | The other side: several addresses are separated by commas; NULL for fees
--   and creations
-- column: symbol | Symbol of what moves; NULL on internal legs, whose records have none
-- column: token_address | Contract of the token; NULL for the native token
-- column: token_id | Id of the token for NFT standards
-- column: token_standard | Protocol type of the token; NULL for the native token
-- column: amount_text | Exact amount, without sign [native token or token] | amount_text or
--   tx_fee_text
-- column: signed_amount | What the address gains (positive) or loses (negative); NULL where it is
--   unknown [native token or token] | amount or tx_fee
-- column: tx_status | success, fail or pending; NULL where no record says it
-- column: source | Dataset the record stands in
-- column: coverage_status | complete where the list that holds the record is complete for the
--   address at this height; else the status of its coverage, or none | lake.coverage
CREATE VIEW address_activity AS
WITH shared AS (
  SELECT DISTINCT endpoint AS _endpoint, variant AS _variant
  FROM lake.coverage WHERE is_shared
)
SELECT * EXCLUDE (_endpoint, _variant)
FROM ledger_legs() ANTI JOIN shared USING (_endpoint, _variant)
UNION ALL
-- Hardly any lake has lists that share records, so the price of ranking is not paid by all rows.
SELECT * EXCLUDE (_endpoint, _variant)
FROM ledger_legs() SEMI JOIN shared USING (_endpoint, _variant)
QUALIFY dense_rank() OVER (
  PARTITION BY address, leg, direction, block_number, block_time, tx_hash,
    counterparty, token_address, token_standard
  ORDER BY coverage_status = 'complete' DESC, _endpoint, _variant
) = 1;
