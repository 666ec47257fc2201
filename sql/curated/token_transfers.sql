-- Token transfers of the primary chain: one row per transfer, every copy of it. Two rows that are
-- equal in every column are two transfers; counting DISTINCT rows loses some.
--
-- Records have no key. Where the transfers of a transaction were looked up completely (for this
-- token standard, or for all), the rows are those of the look-up. Of other transactions, a
-- record that several lists hold (transaction, token, parties, id and amount) is shown as the
-- best of them has it, with all its copies: complete lists first, then those of addresses, of
-- tokens, of blocks. If all of these lists are complete, a field that the best one lacks comes
-- from the others, where all their copies of the record have one value.
--
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: tx_hash | Hash of the transaction
-- column: token_address | Contract of the token
-- column: token_standard | Protocol type of the token; where the record lacks it, the one that all
--   other records of the token have
-- column: token_id | Id of the token for NFT standards
-- column: symbol | Symbol of the token, as of the reading; the makers of the token chose it
-- column: from_address | Sender; several addresses are separated by commas
-- column: to_address | Recipient; several are separated by commas
-- column: amount_text | Exact amount, as the service states it; 1 for a token_721 without one; add
--   with exact_sum [token]
-- column: amount | As a number; NULL where it does not fit [token]
-- column: amount_double | The nearest double, for charts and sorting [token]
-- column: tx_status | success, fail or pending, where the record says it, else the status of its
--   transaction; transfers are events, which only successful transactions leave
-- column: succeeded | true for success, false for fail, else NULL
-- column: block_hash | Hash of the block
-- column: method_id | Identifier of the method called, where a list of a token or block names it
-- column: tx_fee_text | Exact fee of the transaction, where a list of a block has it [native token]
-- column: tx_fee | As a number; NULL where it does not fit [native token]
-- column: from_is_contract | The sender is a contract, as of the reading
-- column: to_is_contract | The recipient is a contract, as of the reading
-- column: occurrence | 1 for the first of several equal records of a walk, 2 for the second, ...
-- column: list_position | Place in the answer of the block or hash the row comes from, from 1: puts
--   the rows of one transaction in order; NULL where it comes from another list
-- column: block_position | Place in the list of its block, from 1; NULL where no such list holds
--   the record, and where the row comes from another list and that of the block has several copies
-- column: coverage_status | complete where the list that the row comes from is complete for a key
--   it names: its hash, an address, the token, or all at this height; else the status of that
--   coverage, or none | lake.coverage
-- column: sources | Endpoints that hold the record
WITH standardised AS (
  SELECT t.* EXCLUDE (token_standard),
    coalesce(t.token_standard, other.token_standard) AS token_standard,
    service_rank(t._endpoint, t._status_rank) AS _service_rank,
    list_order(coalesce(_service_rank, t._status_rank + 7), t._list) AS _order
  FROM known.token_transfers AS t
  LEFT JOIN known.token_standards AS other
    ON t.token_standard IS NULL AND other.token_address = t.token_address
),
-- Some services give no amount for the one piece of a token_721.
named AS (
  SELECT * REPLACE (
      CASE WHEN is_piece THEN '1' ELSE amount_text END AS amount_text,
      CASE WHEN is_piece THEN 1::DECIMAL(38, 18) ELSE amount END AS amount
    )
  FROM (
    SELECT *, token_standard = 'token_721' AND (amount_text IS NULL OR amount = 0) AS is_piece
    FROM standardised
  )
),
ranked AS (
  SELECT t.*,
    is_within_any(t.block_number, u.intervals) OR is_within_any(t.block_number, v.intervals)
      AS _is_replaced
  FROM named AS t
  LEFT JOIN known.looked_up AS u
    ON u.dataset = 'token_transfers' AND u.scope = '' AND u.tx_hash = t.tx_hash
    AND t._key_kind IS DISTINCT FROM 'transaction'
  LEFT JOIN known.looked_up AS v
    ON v.dataset = 'token_transfers' AND v.scope = 'token_standard=' || t.token_standard
    AND v.tx_hash = t.tx_hash AND t._key_kind IS DISTINCT FROM 'transaction'
),
-- Grouping few columns and joining takes half the time of windows over whole rows.
alike AS (
  SELECT block_number, tx_hash, token_address, token_standard, token_id, from_address, to_address,
    amount_text,
    -- Without a hash nothing says that two lists hold one record.
    CASE WHEN tx_hash IS NOT NULL THEN min(_order) FILTER (NOT _is_replaced) END AS _best_order,
    agreed(min(tx_status), max(tx_status)) AS _tx_status,
    agreed(min(method_id), max(method_id)) AS _method_id,
    agreed(min(tx_fee_text), max(tx_fee_text)) AS _tx_fee_text,
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
  GROUP BY block_number, tx_hash, token_address, token_standard, token_id, from_address,
    to_address, amount_text
),
chosen AS (
  SELECT r.*, a._tx_status, a._method_id, a._tx_fee_text, a._tx_fee, a._block_position,
    a._is_sure, a._endpoints
  FROM ranked AS r JOIN alike AS a
    ON a.block_number IS NOT DISTINCT FROM r.block_number
    AND a.tx_hash IS NOT DISTINCT FROM r.tx_hash
    AND a.token_address IS NOT DISTINCT FROM r.token_address
    AND a.token_standard IS NOT DISTINCT FROM r.token_standard
    AND a.token_id IS NOT DISTINCT FROM r.token_id
    AND a.from_address IS NOT DISTINCT FROM r.from_address
    AND a.to_address IS NOT DISTINCT FROM r.to_address
    AND a.amount_text IS NOT DISTINCT FROM r.amount_text
    AND a._best_order
      IS NOT DISTINCT FROM CASE WHEN r.tx_hash IS NOT NULL THEN r._order END
  WHERE NOT r._is_replaced
),
shown AS (
  SELECT * REPLACE (
      filled(tx_status, _tx_status, _is_sure) AS tx_status,
      filled(method_id, _method_id, _is_sure) AS method_id,
      filled(tx_fee_text, _tx_fee_text, _is_sure) AS tx_fee_text,
      filled(tx_fee, _tx_fee, _is_sure) AS tx_fee
    ),
    CASE WHEN _key_kind = 'all' THEN _list_position WHEN _is_sure THEN _block_position END
      AS block_position
  FROM chosen
)
SELECT
  t.block_number, t.block_time, day_of(t.block_time) AS block_date,
  t.tx_hash, t.token_address, t.token_standard, t.token_id, t.symbol,
  t.from_address, t.to_address, t.amount_text, t.amount,
  TRY_CAST(t.amount_text AS DOUBLE) AS amount_double,
  coalesce(t.tx_status, status.tx_status) AS tx_status,
  has_succeeded(coalesce(t.tx_status, status.tx_status)) AS succeeded, t.block_hash,
  t.method_id, t.tx_fee_text, t.tx_fee, t.from_is_contract, t.to_is_contract,
  t._occurrence AS occurrence, t._list_position AS list_position, t.block_position,
  status_of(t._status_rank) AS coverage_status, coalesce(held.endpoints, [t._endpoint]) AS sources
FROM shown AS t
LEFT JOIN known.holders AS held
  ON held.dataset = 'token_transfers' AND held.bits = t._endpoints
LEFT JOIN curated.transactions AS status
  ON status.block_number = t.block_number AND status.tx_hash = t.tx_hash;
