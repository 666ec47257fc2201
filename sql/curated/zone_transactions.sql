-- Transactions of the zone chain: one row per block and transaction hash. Every field is that of the
-- first endpoint that has it: details looked up by hash, then lists of addresses, then lists of
-- blocks.
--
-- column: block_number | Height of the block on the zone chain
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: tx_hash | Hash of the transaction on the zone chain
-- column: tx_index | Place of the transaction in its block
-- column: from_address | User that acts
-- column: action_type | Action of the transaction
-- column: tx_status | success or fail; lake.zone_transactions has it as served
-- column: succeeded | true for success, false for fail, else NULL
-- column: amount_text | Exact amount, often NULL: not every action has one [token]
-- column: amount | As a number; NULL where it does not fit [token]
-- column: amount_double | The nearest double, for charts and sorting [token]
-- column: amount_raw | Exact amount in the smallest unit [smallest unit]
-- column: action_nonce | Nonce of the action, a time in ms; only where details were looked up
-- column: action_data | The whole action, as JSON; only where details were looked up
-- column: error_message | Why it failed; only where details were looked up
-- column: token_transfer_count | Token transfers emitted; only where details were looked up
-- column: event_count | Events emitted; only where details were looked up
-- column: block_hash | Hash of the block
-- column: coverage_status | complete where a list that holds the transaction is complete for its
--   hash, an address or all at this height; else the best such status, or none | lake.coverage
-- column: sources | Endpoints that hold the transaction
WITH ordered AS (
  SELECT *, precedence(_status_rank, _endpoint_rank, _fetched_at, _list,
    hash(*COLUMNS(lambda c: c !~ '_.*|.*addresses'))) AS _order
  FROM known.zone_transactions
)
-- A number is that of the text beside it, so it is NULL where the text does not fit.
SELECT
  block_number,
  arg_min(block_time, _order) AS block_time,
  day_of(arg_min(block_time, _order)) AS block_date,
  tx_hash,
  arg_min(tx_index, _order) AS tx_index,
  arg_min(from_address, _order) AS from_address,
  arg_min(action_type, _order) AS action_type,
  status_word(arg_min(tx_status, _order)) AS tx_status,
  has_succeeded(status_word(arg_min(tx_status, _order))) AS succeeded,
  arg_min(amount_text, _order) AS amount_text,
  arg_min_null(amount, _order) FILTER (amount_text IS NOT NULL) AS amount,
  TRY_CAST(arg_min(amount_text, _order) AS DOUBLE) AS amount_double,
  arg_min(amount_raw, _order) AS amount_raw,
  arg_min(action_nonce, _order) AS action_nonce,
  arg_min(action_data, _order) AS action_data,
  arg_min(error_message, _order) AS error_message,
  arg_min(token_transfer_count, _order) AS token_transfer_count,
  arg_min(event_count, _order) AS event_count,
  arg_min(block_hash, _order) AS block_hash,
  status_of(min(_status_rank)) AS coverage_status,
  list_sort(list_distinct(list(_endpoint))) AS sources
FROM ordered
WHERE tx_hash IS NOT NULL
GROUP BY block_number, tx_hash
UNION ALL
-- Without a hash nothing says that two rows are one.
SELECT
  block_number, block_time, day_of(block_time), tx_hash, tx_index, from_address, action_type,
  status_word(tx_status), has_succeeded(status_word(tx_status)),
  amount_text, amount, TRY_CAST(amount_text AS DOUBLE), amount_raw, action_nonce, action_data,
  error_message,
  token_transfer_count, event_count, block_hash,
  status_of(_status_rank), [_endpoint]
FROM ordered
WHERE tx_hash IS NULL;
