-- Internal transactions of the primary chain: one row per call or creation, every copy of it. Two
-- rows that are equal in every column are two calls; counting DISTINCT rows loses some. Failed
-- calls, delegatecalls and staticcalls are among the rows: they move nothing.
--
-- Records have no key. A transaction whose look-up is complete has the calls of the look-up. Of
-- others, a record that several lists hold (transaction, parties and amount) is shown as the best
-- of them has it, with all its copies: complete lists first, then those of addresses, then those of
-- blocks. If all of these lists are complete, a field that the best one lacks comes from the
-- others, where all their copies of the record have one value.
--
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: tx_hash | Hash of the transaction that made the call
-- column: operation | call, staticcall, delegatecall, create ...; only some move value; NULL
--   where only lists of blocks hold the record
-- column: from_address | Origin; several addresses are separated by commas
-- column: to_address | Destination; several are separated by commas
-- column: amount_text | Exact amount, moved if the call succeeded [native token]
-- column: amount | As a number; NULL where it does not fit [native token]
-- column: amount_double | The nearest double, for charts and sorting [native token]
-- column: tx_status | success or fail of the call, where the record says it; else fail where its
--   transaction failed, and NULL where it did not: calls fail inside of successful transactions
-- column: succeeded | true for success, false for fail; NULL where unknown
-- column: block_hash | Hash of the block; NULL where only a look-up holds the record
-- column: symbol | Symbol of what moves, where a list of a block names it
-- column: tx_fee_text | Exact fee of the transaction, where a list of a block has it [native token]
-- column: tx_fee | As a number; NULL where it does not fit [native token]
-- column: token_address | Contract of the token, where a list of a block names one
-- column: token_id | Id of the token, where a list of a block names one
-- column: method_id | Identifier of the method, where a list of a block names it
-- column: from_is_contract | The origin is a contract, as of the reading
-- column: to_is_contract | The destination is a contract, as of the reading
-- column: occurrence | 1 for the first of several equal records of a walk, 2 for the second, ...
-- column: list_position | Place in the answer of the block or hash the row comes from, from 1: puts
--   the rows of one transaction in order; NULL where it comes from another list
-- column: block_position | Place in the list of its block, from 1; NULL where no such list holds
--   the record, and where the row comes from another list and that of the block has several copies
-- column: coverage_status | complete where the list that the row comes from is complete for a key
--   it names: its hash, an address, or all at this height; else the status of that coverage, or
--   none | lake.coverage
-- column: sources | Endpoints that hold the record
WITH ranked AS (
  SELECT t.*, service_rank(t._endpoint, t._status_rank) AS _service_rank,
    list_order(coalesce(_service_rank, t._status_rank + 7), t._list) AS _order,
    is_within_any(t.block_number, u.intervals) AS _is_replaced
  FROM known.internal_transactions AS t
  LEFT JOIN known.looked_up AS u
    ON u.dataset = 'internal_transactions' AND u.tx_hash = t.tx_hash
    AND t._key_kind IS DISTINCT FROM 'transaction'
),
-- Grouping few columns and joining takes less time than windows over whole rows.
alike AS (
  SELECT block_number, tx_hash, from_address, to_address, amount_text,
    -- Without a hash nothing says that two lists hold one record.
    CASE WHEN tx_hash IS NOT NULL THEN min(_order) FILTER (NOT _is_replaced) END AS _best_order,
    agreed(min(operation), max(operation)) AS _operation,
    agreed(min(tx_status), max(tx_status)) AS _tx_status,
    agreed(min(block_hash), max(block_hash)) AS _block_hash,
    agreed(min(symbol), max(symbol)) AS _symbol,
    agreed(min(tx_fee_text), max(tx_fee_text)) AS _tx_fee_text,
    agreed(min(token_address), max(token_address)) AS _token_address,
    agreed(min(token_id), max(token_id)) AS _token_id,
    agreed(min(method_id), max(method_id)) AS _method_id,
    CASE WHEN min(tx_fee_text) = max(tx_fee_text) THEN max(tx_fee) END AS _tx_fee,
    agreed(
      min(_list_position) FILTER (_key_kind = 'all'),
      max(_list_position) FILTER (_key_kind = 'all')
    ) AS _block_position,
    -- Then every list of the service that holds the record has all of its copies.
    tx_hash IS NOT NULL AND max(_service_rank) <= 2 AND min(_service_rank) = max(_service_rank)
      AS _is_sure,
    bit_or(1 << _endpoint_rank) AS _endpoints
  FROM ranked
  GROUP BY block_number, tx_hash, from_address, to_address, amount_text
),
chosen AS (
  SELECT r.*, a.* EXCLUDE (
      block_number, tx_hash, from_address, to_address, amount_text, _best_order
    )
  FROM ranked AS r JOIN alike AS a
    ON a.block_number IS NOT DISTINCT FROM r.block_number
    AND a.tx_hash IS NOT DISTINCT FROM r.tx_hash
    AND a.from_address IS NOT DISTINCT FROM r.from_address
    AND a.to_address IS NOT DISTINCT FROM r.to_address
    AND a.amount_text IS NOT DISTINCT FROM r.amount_text
    AND a._best_order
      IS NOT DISTINCT FROM CASE WHEN r.tx_hash IS NOT NULL THEN r._order END
  WHERE NOT r._is_replaced
),
shown AS (
  SELECT * REPLACE (
      filled(operation, _operation, _is_sure) AS operation,
      filled(tx_status, _tx_status, _is_sure) AS tx_status,
      filled(block_hash, _block_hash, _is_sure) AS block_hash,
      filled(symbol, _symbol, _is_sure) AS symbol,
      filled(tx_fee_text, _tx_fee_text, _is_sure) AS tx_fee_text,
      filled(tx_fee, _tx_fee, _is_sure) AS tx_fee,
      filled(token_address, _token_address, _is_sure) AS token_address,
      filled(token_id, _token_id, _is_sure) AS token_id,
      filled(method_id, _method_id, _is_sure) AS method_id
    ),
    CASE WHEN _key_kind = 'all' THEN _list_position WHEN _is_sure THEN _block_position END
      AS block_position
  FROM chosen
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
  t._list_position AS list_position, t.block_position,
  status_of(t._status_rank) AS coverage_status, coalesce(held.endpoints, [t._endpoint]) AS sources
FROM shown AS t
LEFT JOIN known.holders AS held
  ON held.dataset = 'internal_transactions' AND held.bits = t._endpoints
LEFT JOIN curated.transactions AS status
  ON status.block_number = t.block_number AND status.tx_hash = t.tx_hash;
