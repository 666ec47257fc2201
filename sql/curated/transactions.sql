-- Normal transactions of the primary chain: one row per block and transaction hash. Two rows of one
-- hash mean that the chain was reorganised between two readings. Where several endpoints
-- hold a transaction, every field is that of the first one that has it: look-ups by hash, then
-- lists of addresses, then lists of blocks; those that are complete come first, and of one endpoint
-- the newest reading. Failed transactions are among the rows: their amount has not moved.
--
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: tx_hash | Hash of the transaction
-- column: from_address | Sender; several addresses are separated by commas
-- column: to_address | Recipient, NULL for a creation; several are separated by commas
-- column: amount_text | Exact amount, moved if the transaction succeeded [native token]
-- column: amount | As a number; NULL where it does not fit [native token]
-- column: amount_double | The nearest double, for charts and sorting [native token]
-- column: symbol | Symbol of the native token
-- column: tx_fee_text | Exact fee, paid by the sender whatever the status [native token]
-- column: tx_fee | As a number; NULL where it does not fit [native token]
-- column: tx_status | success, fail or pending; pending only where no endpoint knows better, NULL
--   where none that serves a status was asked: see sources
-- column: succeeded | true for success, false for fail, else NULL
-- column: nonce | Transactions the sender had sent before this one
-- column: method_id | Identifier of the method called
-- column: tx_type | 0 original, 1 EIP2930, 2 EIP1559; others exist on real chains
-- column: gas_used | Gas used [gas]
-- column: gas_limit | Gas allowed [gas]
-- column: gas_price | Price of one unit of gas [wei]
-- column: block_hash | Hash of the block
-- column: token_address | Contract of the token, where a list of a block names one
-- column: token_id | Id of the token, where a list of a block names one
-- column: from_is_contract | The sender is a contract, as of the reading
-- column: to_is_contract | The recipient is a contract, as of the reading
-- column: list_position | Place in the answer of its block, from 1; NULL where no list of a block
--   holds the transaction
-- column: coverage_status | complete where a list that holds the transaction is complete for its
--   hash, an address or all at this height; else the best such status, or none | lake.coverage
-- column: sources | Endpoints that hold the transaction
WITH ordered AS (
  SELECT *, precedence(_status_rank, _endpoint_rank, _fetched_at, _list,
    hash(*COLUMNS(lambda c: c !~ '_.*|.*addresses'))) AS _order
  FROM known.transactions
),
by_hash AS (
  -- A number is that of the text beside it, so it is NULL where the text does not fit.
  SELECT
    block_number,
    arg_min(block_time, _order) AS block_time,
    day_of(arg_min(block_time, _order)) AS block_date,
    tx_hash,
    arg_min(from_address, _order) AS from_address,
    arg_min(to_address, _order) AS to_address,
    arg_min(amount_text, _order) AS amount_text,
    arg_min_null(amount, _order) FILTER (amount_text IS NOT NULL) AS amount,
    TRY_CAST(arg_min(amount_text, _order) AS DOUBLE) AS amount_double,
    arg_min(symbol, _order) AS symbol,
    arg_min(tx_fee_text, _order) AS tx_fee_text,
    arg_min_null(tx_fee, _order) FILTER (tx_fee_text IS NOT NULL) AS tx_fee,
    -- A transaction is pending before it is anything else.
    coalesce(arg_min(tx_status, _order) FILTER (tx_status <> 'pending'), any_value(tx_status))
      AS tx_status,
    has_succeeded(arg_min(tx_status, _order) FILTER (tx_status <> 'pending')) AS succeeded,
    arg_min(nonce, _order) AS nonce,
    arg_min(method_id, _order) AS method_id,
    arg_min(tx_type, _order) AS tx_type,
    arg_min(gas_used, _order) AS gas_used,
    arg_min(gas_limit, _order) AS gas_limit,
    arg_min(gas_price, _order) AS gas_price,
    arg_min(block_hash, _order) AS block_hash,
    arg_min(token_address, _order) AS token_address,
    arg_min(token_id, _order) AS token_id,
    arg_min(from_is_contract, _order) AS from_is_contract,
    arg_min(to_is_contract, _order) AS to_is_contract,
    -- Equal copies of a record have one precedence.
    arg_min(_list_position, _order) FILTER (coalesce(_occurrence, 1) = 1) AS list_position,
    status_of(min(_status_rank)) AS coverage_status,
    bit_or(1 << _endpoint_rank) AS _endpoints,
    list(_endpoint) FILTER (_endpoint_rank IS NULL) AS _without_rank
  FROM ordered
  WHERE tx_hash IS NOT NULL
  GROUP BY block_number, tx_hash
)
SELECT t.* EXCLUDE (_endpoints, _without_rank),
  -- Rows without coverage have no rank.
  CASE WHEN _without_rank IS NULL THEN held.endpoints
    ELSE list_sort(list_distinct(list_concat(held.endpoints, _without_rank)))
  END AS sources
FROM by_hash AS t
LEFT JOIN known.holders AS held
  ON held.dataset = 'transactions' AND held.bits = t._endpoints
UNION ALL
-- Without a hash nothing says that two rows are one.
SELECT
  block_number, block_time, day_of(block_time), tx_hash, from_address, to_address,
  amount_text, amount,
  TRY_CAST(amount_text AS DOUBLE), symbol,
  tx_fee_text, tx_fee, tx_status, has_succeeded(tx_status), nonce, method_id, tx_type,
  gas_used, gas_limit, gas_price,
  block_hash, token_address, token_id, from_is_contract, to_is_contract,
  _list_position, status_of(_status_rank), [_endpoint]
FROM ordered
WHERE tx_hash IS NULL;
