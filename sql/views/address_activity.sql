-- The signed ledger of every exported address, over both chains: one row per address and leg of a
-- record that names it. Exported are the addresses that were asked for, and all that are named in
-- whole exported blocks. Legs: `value` (primary value), `fee` (the sender pays it, whatever the
-- status), `internal` (value moved by calls), `token`; `cross_chain` (the amount of a cross-chain
-- transfer on the zone chain) and `zone` (other zone transactions).
--
-- Sum by axis and token_address: one address has a balance on each chain. The primary side of a
-- cross-chain transfer consists of value, internal and token legs, so it has no leg of its own.
--
-- A transfer from an address to itself gives two rows, one `out` and one `in`, whose sum is zero;
-- counterparty is then the address itself. A record that names several senders or recipients gives
-- a row to each of them: amount_text is the whole amount, and signed_amount is NULL, because the
-- shares are unknown. Only the one sender of a cross-chain batch is known to give the whole amount.
--
-- signed_amount is NULL, never guessed, where the status or the operation is unknown, where a zone
-- transaction's action may have moved its amount to any address, and where the amount does not fit.
-- It is 0 for what surely moved nothing: failed transactions, calls and transfers, delegatecall,
-- staticcall and callcode, amounts of zero, and zone transactions without an amount or whose amount
-- a cross_chain leg has. Token records are events, which only successful transactions leave.
-- signed_text is exact whatever its size: sum it with exact_sum, because SUM over DECIMAL leaves
-- out what does not fit, and ends with an error past 1e20. Charts take signed_double.
--
-- example: SELECT block_time, leg, direction, symbol, signed_text FROM address_activity WHERE
--   address = lower('0x...') ORDER BY block_number
-- column: address | The exported address this row is about, in lower case
-- column: block_time | Time of the block [UTC]
-- column: leg | value, fee, internal, token, cross_chain or zone
-- column: direction | out (the address pays) or in (the address receives)
-- column: amount_text | Exact amount, without sign [native token or token] | amount_text or
--   tx_fee_text
-- column: symbol | Symbol from the tokens CSV, else the one of the record; NULL where both have
--   none
-- column: counterparty | The other side: several addresses are separated by commas; NULL for fees,
--   creations and zone legs
-- column: label | Label of the address | labels
-- column: counterparty_label | Label of the counterparty | labels
-- column: followed | true where the address was asked for by name on either chain, false where it
--   only stands in exported blocks; complete_ranges(address) says which blocks are complete
-- column: axis | primary or zone: the chain that it moves on, and whose heights these are
-- column: block_number | Height of the block
-- column: block_date | Day of the block [UTC]
-- column: tx_hash | Hash of the transaction; on the zone chain for zone and cross_chain legs
-- column: token_address | Contract of the token; NULL for the native token of the primary chain and
--   for zone legs, whose token is unknown; the zero address for the native token on the zone chain
-- column: token_id | Id of the token for NFT standards
-- column: token_standard | Protocol type of the token; NULL for the native token
-- column: decimals | Decimal places of the token; NULL where the tokens CSV has none | tokens
-- column: amount_double | The nearest double, for charts and sorting [native token or token]
-- column: signed_amount | Gain (positive) or loss (negative) of the address; NULL where it is
--   unknown [native token or token] | amount or tx_fee
-- column: signed_text | As exact text of any size; NULL where it is unknown [native token or token]
--   | amount_text or tx_fee_text
-- column: signed_double | The nearest double, for charts and sorting [native token or token]
-- column: tx_status | success, fail or pending; NULL where no record says it
-- column: succeeded | true for success, false for fail, else NULL
-- column: source | Dataset the record stands in
-- column: coverage_status | complete where everything of this kind is known of the address at this
--   height, from whichever list; else the best status of such coverage, or none; never better than
--   that of the record | lake.reach
-- column: reconciled | complete, and nodes agree with the ledger of the address | reconciliations
CREATE VIEW address_activity AS
SELECT
  ledger.address, block_time, leg, direction, amount_text,
  coalesce(token.symbol, ledger.symbol) AS symbol, counterparty,
  own_label.label, other_label.label AS counterparty_label,
  ledger.address IN (SELECT address FROM known.followed) AS followed,
  axis, block_number, block_date, tx_hash, ledger.token_address, token_id, token_standard,
  token.decimals, amount_double, signed_amount, signed_text, signed_double,
  tx_status, succeeded, source, coverage_status,
  is_reconciled(
    coverage_status, block_number, block_number, proof.from_block, proof.to_block
  ) AS reconciled
FROM (
  SELECT * FROM curated.address_activity
  UNION ALL
  SELECT * FROM curated.zone_address_activity
) AS ledger
LEFT JOIN lake.labels AS own_label ON known.has_names() AND own_label.address = ledger.address
LEFT JOIN lake.labels AS other_label ON known.has_names() AND other_label.address = counterparty
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = ledger.token_address
LEFT JOIN known.reconciled AS proof
  ON known.has_names() AND axis = 'primary' AND proof.owner = ledger.address
  AND proof.asset = coalesce(ledger.token_address, token_standard, '')
  AND proof.asset_id = id_in_proof(token_standard, token_id);
