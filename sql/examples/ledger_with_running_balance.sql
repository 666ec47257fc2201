-- What did one address do, block by block, and what was its running balance?
--
-- Replace the address in lower or upper case, as in FROM ledger_of('0xAbC...'). This one is the
-- followed address with most legs. The balance starts at 0 before the first exported block.
--
-- column: block_number | Height of the block
-- column: block_date | Day of the block [UTC]
-- column: axis | primary or zone
-- column: tx_hash | Hash of the transaction
-- column: leg | value, fee, internal, token, cross_chain or zone
-- column: direction | out or in
-- column: counterparty | The other side
-- column: symbol | Symbol of what moves
-- column: token_address | Contract of the token; NULL for the native token
-- column: token_id | Id of the token for NFT standards
-- column: signed_text | What the address gains or loses, exact; NULL where unknown
-- column: balance_double | Running sum of this token on this chain, rounded
SELECT
  block_number, block_date, axis, tx_hash, leg, direction, counterparty, symbol, token_address,
  token_id, signed_text, balance_double
FROM ledger_of(
  (
    SELECT upper(arg_max(address, (legs, address)))
    FROM (
      SELECT address, count(*) AS legs FROM address_activity WHERE followed GROUP BY address
    )
  )
)
ORDER BY axis, block_number, tx_hash, leg, direction, token_address, token_id, signed_text;
