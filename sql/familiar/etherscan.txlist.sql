-- Normal transactions of the primary chain under the names of Etherscan's txlist: one row per block
-- and transaction hash. Numbers are numbers, where the API has texts.
--
-- example: SELECT "timeStamp", hash, value / 1e18 AS ether FROM etherscan.txlist WHERE "from" =
--   lower('0x...')
-- column: blockNumber | Height of the block | block_number
-- column: timeStamp | Time of the block, in seconds since 1970 [s] | block_time
-- column: hash | Hash of the transaction | tx_hash
-- column: nonce | Transactions the sender had sent before this one
-- column: blockHash | Hash of the block | block_hash
-- column: from | Sender | from_address
-- column: to | Recipient; NULL for a creation | to_address
-- column: value | Amount, moved if the transaction succeeded [wei] | amount
-- column: gas | Gas allowed [gas] | gas_limit
-- column: gasPrice | Price of one unit of gas [wei] | gas_price
-- column: gasUsed | Gas used [gas] | gas_used
-- column: isError | 1 for fail, 0 for success; NULL while pending or unknown | succeeded
-- column: txreceipt_status | 1 for success, 0 for fail; NULL while pending or unknown | succeeded
-- column: methodId | Identifier of the method called | method_id
-- column: functionName | Name of the method from the methods CSV | methods
-- column: block_time | Time of the block [UTC]
-- column: coverage_status | As in transactions
CREATE VIEW etherscan.txlist AS
SELECT
  block_number AS "blockNumber", CAST(epoch_ms(block_time) // 1000 AS BIGINT) AS "timeStamp",
  tx_hash AS hash, nonce, block_hash AS "blockHash", from_address AS "from", to_address AS "to",
  wei_of(amount) AS value, gas_limit AS gas, gas_price AS "gasPrice", gas_used AS "gasUsed",
  CAST(NOT succeeded AS BIGINT) AS "isError", CAST(succeeded AS BIGINT) AS txreceipt_status,
  t.method_id AS "methodId", method.name AS "functionName", block_time, coverage_status
FROM curated.transactions AS t
LEFT JOIN lake.methods AS method ON known.has_names() AND method.method_id = t.method_id;
