-- Internal transactions of the primary chain: one row per call or creation, every copy of it. Two
-- rows that are equal in every column are two calls; counting DISTINCT rows loses some. Failed
-- calls, delegatecalls and staticcalls are among the rows: they move nothing.
--
-- Records have no key. A transaction whose look-up is complete is what the look-up says. Of others,
-- a record that several lists hold (transaction, parties and amount) is shown as the best of them
-- has it, with all its copies: complete lists first, then those of addresses, then those of
-- blocks, whose records lack the operation and so only add what the others do not have.
--
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: tx_hash | Hash of the transaction that made the call
-- column: operation | call, staticcall, delegatecall, create ...; only some move value; NULL
--   in records of lists of blocks
-- column: from_address | Origin; several addresses are separated by commas
-- column: to_address | Destination; several are separated by commas
-- column: amount_text | Exact amount, moved if the call succeeded [native token]
-- column: amount | The same as a number; NULL where it does not fit [native token]
-- column: amount_double | The same as the nearest double, for charts and sorting; its sums are
--   rounded [native token]
-- column: tx_status | success or fail of the call, where the record says it; else fail where its
--   transaction failed, and NULL where it did not: calls fail inside of successful transactions
-- column: succeeded | true for success, false for fail; NULL where unknown
-- column: block_hash | Hash of the block; NULL in looked-up records, which lack it
-- column: symbol | Symbol of what moves, where a list of a block names it
-- column: tx_fee_text | Exact fee of the transaction, where a list of a block has it [native token]
-- column: tx_fee | The same as a number; NULL where it does not fit [native token]
-- column: token_address | Contract of the token, where a list of a block names one
-- column: token_id | Id of the token, where a list of a block names one
-- column: method_id | Identifier of the method, where a list of a block names it
-- column: from_is_contract | The origin is a contract, as of the reading
-- column: to_is_contract | The destination is a contract, as of the reading
-- column: occurrence | 1 for the first of several equal records of a walk, 2 for the second, ...
-- column: list_position | Place in the answer of the block or hash the row comes from, from 1: puts
--   the rows of one transaction in order; NULL where it comes from another list
-- column: coverage_status | complete where the list that served the row is complete for a key it
--   names: its hash, an address, or all at this height; else the status of that coverage, or none
--   | lake.coverage
-- column: sources | Endpoint of the list that the row comes from
WITH chosen AS (
  SELECT t.*, list_order(t._status_rank, t._list) AS _order
  FROM known.internal_transactions AS t
  ANTI JOIN known.looked_up AS u
    ON u.dataset = 'internal_transactions' AND u.tx_hash = t.tx_hash
    AND t.block_number BETWEEN u.from_block AND u.to_block
    AND u.key_kind IS DISTINCT FROM t._key_kind
  -- Without a hash nothing says that two lists hold one record.
  QUALIFY t.tx_hash IS NULL OR _order = min(_order) OVER (
    PARTITION BY t.block_number, t.tx_hash, t.from_address, t.to_address, t.amount_text
  )
)
SELECT
  t.block_number, t.block_time, day_of(t.block_time) AS block_date,
  t.tx_hash, t.operation, t.from_address, t.to_address,
  t.amount_text, t.amount, TRY_CAST(t.amount_text AS DOUBLE) AS amount_double,
  coalesce(t.tx_status, CASE status.tx_status WHEN 'fail' THEN 'fail' END) AS tx_status,
  has_succeeded(
    coalesce(t.tx_status, CASE status.tx_status WHEN 'fail' THEN 'fail' END)
  ) AS succeeded,
  t.block_hash, t.symbol, t.tx_fee_text, t.tx_fee, t.token_address, t.token_id, t.method_id,
  t.from_is_contract, t.to_is_contract, t._occurrence AS occurrence,
  t._list_position AS list_position,
  status_of(t._status_rank) AS coverage_status, [t._endpoint] AS sources
FROM chosen AS t
LEFT JOIN curated.transactions AS status
  ON status.block_number = t.block_number AND status.tx_hash = t.tx_hash;
