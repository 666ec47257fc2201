-- Normal transactions of the primary chain under the names of the BigQuery data set
-- crypto_ethereum: one row per block and transaction hash.
--
-- example: SELECT DATE(block_timestamp) AS day, COUNT(*) FROM crypto_ethereum.transactions GROUP
--   BY day
-- also: crypto_ethereum.transactions
-- column: hash | Hash of the transaction | tx_hash
-- column: nonce | Transactions the sender had sent before this one
-- column: from_address | Sender
-- column: to_address | Recipient; NULL for a creation
-- column: value | Amount, moved if the transaction succeeded [wei] | amount
-- column: gas | Gas allowed [gas] | gas_limit
-- column: gas_price | Price of one unit of gas [wei]
-- column: receipt_gas_used | Gas used [gas] | gas_used
-- column: receipt_status | 1 for success, 0 for fail; NULL while pending or unknown | succeeded
-- column: transaction_type | 0 original, 1 EIP2930, 2 EIP1559 ... | tx_type
-- column: block_timestamp | Time of the block [UTC] | block_time
-- column: block_number | Height of the block
-- column: block_hash | Hash of the block
-- column: method_id | Identifier of the method called: the first four bytes of BigQuery's input
-- column: coverage_status | As in transactions
CREATE VIEW bigquery.transactions AS
SELECT
  tx_hash AS hash, nonce, from_address, to_address, wei_of(amount) AS value, gas_limit AS gas,
  gas_price, gas_used AS receipt_gas_used, CAST(succeeded AS BIGINT) AS receipt_status,
  TRY_CAST(tx_type AS BIGINT) AS transaction_type, block_time AS block_timestamp, block_number,
  block_hash, method_id, coverage_status
FROM curated.transactions;
