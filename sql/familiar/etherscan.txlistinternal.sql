-- Internal transactions of the primary chain under the names of Etherscan's txlistinternal: one row
-- per call or creation, every copy of it. Numbers are numbers, where the API has texts.
--
-- example: SELECT hash, value / 1e18 AS ether FROM etherscan.txlistinternal WHERE "to" =
--   lower('0x...')
-- column: blockNumber | Height of the block | block_number
-- column: timeStamp | Time of the block, in seconds since 1970 [s] | block_time
-- column: hash | Hash of the transaction | tx_hash
-- column: from | Caller | from_address
-- column: to | Address called; NULL for a creation | to_address
-- column: value | Amount, moved if the call succeeded [wei] | amount
-- column: contractAddress | Contract created; NULL for others | to_address
-- column: type | call, staticcall, delegatecall, create ...; NULL where unknown | operation
-- column: isError | 1 for fail, 0 for success; NULL where unknown | succeeded
-- column: block_time | Time of the block [UTC]
-- column: coverage_status | As in internal_transactions
CREATE VIEW etherscan.txlistinternal AS
SELECT
  block_number AS "blockNumber", CAST(epoch_ms(block_time) // 1000 AS BIGINT) AS "timeStamp",
  tx_hash AS hash, from_address AS "from",
  CASE WHEN trace_type_of(operation) IS DISTINCT FROM 'create' THEN to_address END AS "to",
  wei_of(amount) AS value,
  CASE trace_type_of(operation) WHEN 'create' THEN to_address END AS "contractAddress",
  lower(operation) AS type, CAST(NOT succeeded AS BIGINT) AS "isError", block_time,
  coverage_status
FROM curated.internal_transactions;
