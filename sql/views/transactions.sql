-- Normal transactions of the exported addresses: one row per transaction hash. Several endpoints
-- may have served a transaction; the newest reading is shown.
--
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: tx_hash | Hash of the transaction
-- column: from_address | Sender
-- column: to_address | Recipient; NULL for a creation
-- column: amount_text | Exact amount moved if the transaction succeeded [native token]
-- column: amount | The same as a number; NULL where it does not fit [native token]
-- column: symbol | Symbol of the native token
-- column: tx_fee_text | Exact fee, paid by the sender whatever the status [native token]
-- column: tx_fee | The same as a number [native token]
-- column: tx_status | success, fail or pending; NULL: no endpoint exported so far says it
-- column: nonce | Transactions the sender had sent before this one
-- column: method_id | Identifier of the method called
-- column: tx_type | 0 original, 1 EIP2930, 2 EIP1559; others exist on real chains
-- column: gas_used | Gas used [gas]
-- column: gas_limit | Gas allowed [gas]
-- column: gas_price | Price of one unit of gas [wei]
-- column: block_hash | Hash of the block
-- column: from_is_contract | The sender is a contract, as of the reading
-- column: to_is_contract | The recipient is a contract, as of the reading
-- column: coverage_status | complete where a list that names the row is complete at its height
-- column: _endpoint | Endpoint the row comes from
-- column: _variant | Filters it was asked with
CREATE VIEW transactions AS
WITH newest AS (
  SELECT * FROM lake.transactions
  QUALIFY row_number() OVER (PARTITION BY tx_hash ORDER BY _fetched_at DESC, _endpoint) = 1
)
SELECT block_number, block_time, tx_hash, from_address, to_address, amount_text, amount, symbol,
  tx_fee_text, tx_fee, CAST(NULL AS VARCHAR) AS tx_status, nonce, method_id, tx_type,
  gas_used, gas_limit, gas_price, block_hash, from_is_contract, to_is_contract,
  row_status(_endpoint, _variant, from_addresses, to_addresses, block_number) AS coverage_status,
  _endpoint, _variant
FROM newest;
