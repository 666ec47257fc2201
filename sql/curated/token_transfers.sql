-- Token transfers of the primary chain: one row per transfer, every copy of it. Two rows that are
-- equal in every column are two transfers; counting DISTINCT rows loses some.
--
-- Records have no key. Where the transfers of a transaction were looked up completely (for this
-- token standard, or for all), it is what the look-up says. Of other transactions, a record that
-- several lists hold (transaction, token, parties, id and amount) is shown as the best of them has
-- it, with all its copies: complete lists first, then those of addresses, of tokens, of blocks.
--
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: tx_hash | Hash of the transaction
-- column: token_address | Contract of the token
-- column: token_standard | Protocol type of the token; where the record lacks it, the one that all
--   other records of the token have
-- column: token_id | Id of the token for NFT standards
-- column: symbol | Symbol of the token, as of the reading; chosen by whoever made the token
-- column: from_address | Sender; several addresses are separated by commas
-- column: to_address | Recipient; several are separated by commas
-- column: amount_text | Exact amount, as the service states it; add with exact_sum [token]
-- column: amount | The same as a number; NULL where it does not fit [token]
-- column: amount_double | The same as the nearest double, for charts and sorting; its sums are
--   rounded [token]
-- column: tx_status | success, fail or pending, where the record says it, else what is known of its
--   transaction; transfers are events, which only successful transactions leave
-- column: succeeded | true for success, false for fail; NULL while pending or unknown
-- column: block_hash | Hash of the block
-- column: method_id | Identifier of the method called, where a list of a token or block names it
-- column: tx_fee_text | Exact fee of the transaction, where a list of a block has it [native token]
-- column: tx_fee | The same as a number; NULL where it does not fit [native token]
-- column: from_is_contract | The sender is a contract, as of the reading
-- column: to_is_contract | The recipient is a contract, as of the reading
-- column: occurrence | 1 for the first of several equal records of a walk, 2 for the second, ...
-- column: list_position | Place in the answer of the block or hash the row comes from, from 1: puts
--   the rows of one transaction in order; NULL where it comes from another list
-- column: coverage_status | complete where the list that served the row is complete for a key it
--   names: its hash, an address, the token, or all at this height; else the status of that
--   coverage, or none | lake.coverage
-- column: sources | Endpoint of the list that the row comes from
WITH named AS (
  SELECT t.* EXCLUDE (token_standard),
    coalesce(t.token_standard, other.token_standard) AS token_standard,
    list_order(t._status_rank, t._list) AS _order
  FROM known.token_transfers AS t
  LEFT JOIN known.token_standards AS other
    ON t.token_standard IS NULL AND other.token_address = t.token_address
),
chosen AS (
  SELECT t.*
  FROM named AS t
  ANTI JOIN known.looked_up AS u
    ON u.dataset = 'token_transfers' AND u.scope = '' AND u.tx_hash = t.tx_hash
    AND t.block_number BETWEEN u.from_block AND u.to_block
    AND u.key_kind IS DISTINCT FROM t._key_kind
  ANTI JOIN known.looked_up AS v
    ON v.dataset = 'token_transfers' AND v.scope = 'token_standard=' || t.token_standard
    AND v.tx_hash = t.tx_hash
    AND t.block_number BETWEEN v.from_block AND v.to_block
    AND v.key_kind IS DISTINCT FROM t._key_kind
  -- Without a hash nothing says that two lists hold one record.
  QUALIFY t.tx_hash IS NULL OR _order = min(_order) OVER (
    PARTITION BY t.block_number, t.tx_hash, t.token_address, t.token_standard, t.token_id,
      t.from_address, t.to_address, t.amount_text
  )
)
SELECT
  t.block_number, t.block_time, day_of(t.block_time) AS block_date,
  t.tx_hash, t.token_address, t.token_standard, t.token_id, t.symbol,
  t.from_address, t.to_address, t.amount_text, t.amount,
  TRY_CAST(t.amount_text AS DOUBLE) AS amount_double,
  coalesce(t.tx_status, status.tx_status) AS tx_status,
  has_succeeded(coalesce(t.tx_status, status.tx_status)) AS succeeded, t.block_hash,
  t.method_id, t.tx_fee_text, t.tx_fee, t.from_is_contract, t.to_is_contract,
  t._occurrence AS occurrence, t._list_position AS list_position,
  status_of(t._status_rank) AS coverage_status, [t._endpoint] AS sources
FROM chosen AS t
LEFT JOIN curated.transactions AS status
  ON status.block_number = t.block_number AND status.tx_hash = t.tx_hash;
