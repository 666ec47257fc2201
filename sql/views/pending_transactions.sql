-- Transactions of the primary chain that are in no block yet: one row per transaction hash, as the
-- newest reading that listed it shows it; fields that it lacks come from older ones. A transaction
-- is here until it has landed in a block, or the list that showed it was read again without it.
-- None of these rows is among transactions.
--
-- example: SELECT tx_hash, from_address, broadcast_time FROM pending_transactions
-- column: tx_hash | Hash of the transaction
-- column: broadcast_time | When it was broadcast, as the service says; once it is mined, a
--   transaction has the time of its block instead [UTC]
-- column: from_address | Sender; several addresses are separated by commas
-- column: to_address | Recipient, NULL for a creation; several are separated by commas
-- column: amount_text | Exact amount that it is to move [native token]
-- column: amount | As a number; NULL where it does not fit [native token]
-- column: amount_double | The nearest double, for charts and sorting [native token]
-- column: symbol | Symbol of the native token
-- column: nonce | Transactions the sender had sent before this one
-- column: method_id | Identifier of the method called
-- column: tx_type | 0 original, 1 EIP2930, 2 EIP1559; others exist on real chains
-- column: gas_limit | Gas allowed [gas]
-- column: gas_price | Price of one unit of gas that is offered [wei]
-- column: from_is_contract | The sender is a contract, as of the reading
-- column: to_is_contract | The recipient is a contract, as of the reading
-- column: as_of_block | Head of the chain when it was read last
-- column: read_at | When it was read last [UTC]
-- column: sources | Endpoints that showed it
CREATE VIEW pending_transactions AS
WITH ordered AS (
  SELECT p.*, row_number() OVER (
    PARTITION BY p.tx_hash ORDER BY p._fetched_at DESC, p._endpoint, p._variant, p.key
  ) AS _order
  FROM lake.pending_transactions AS p
  -- Unlike NOT EXISTS, a join passes a condition on the hash to both tables.
  LEFT JOIN lake.transactions AS mined ON mined.tx_hash = p.tx_hash
  WHERE mined.tx_hash IS NULL
)
SELECT
  tx_hash,
  arg_min(broadcast_time, _order) AS broadcast_time,
  arg_min(from_address, _order) AS from_address,
  arg_min(to_address, _order) AS to_address,
  arg_min(amount_text, _order) AS amount_text,
  arg_min(amount, _order) AS amount,
  TRY_CAST(arg_min(amount_text, _order) AS DOUBLE) AS amount_double,
  arg_min(symbol, _order) AS symbol,
  arg_min(nonce, _order) AS nonce,
  arg_min(method_id, _order) AS method_id,
  arg_min(tx_type, _order) AS tx_type,
  arg_min(gas_limit, _order) AS gas_limit,
  arg_min(gas_price, _order) AS gas_price,
  arg_min(from_is_contract, _order) AS from_is_contract,
  arg_min(to_is_contract, _order) AS to_is_contract,
  arg_min(as_of_block, _order) AS as_of_block,
  arg_min(_fetched_at, _order) AS read_at,
  list_sort(list(DISTINCT _endpoint)) AS sources
FROM ordered
GROUP BY tx_hash;
