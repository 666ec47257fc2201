-- Calls and creations of the primary chain under the names of the BigQuery data set
-- crypto_ethereum: the call of every transaction and the internal transactions in it, which only
-- some of the exported lists hold. Records have no trace address, so rows of one transaction have
-- no order, and rewards of miners are not among them.
--
-- example: SELECT trace_type, COUNT(*) FROM crypto_ethereum.traces WHERE status = 1 GROUP BY
--   trace_type
-- also: crypto_ethereum.traces
-- column: transaction_hash | Hash of the transaction | tx_hash
-- column: from_address | Caller
-- column: to_address | Address called or created; NULL for the creation by a transaction
-- column: value | Amount, moved if the call succeeded [wei] | amount
-- column: trace_type | call, create or suicide; NULL where the operation is unknown | operation
-- column: call_type | call, staticcall, delegatecall or callcode; NULL for others | operation
-- column: status | 1 where the call succeeded, 0 where not; NULL where unknown | succeeded
-- column: block_timestamp | Time of the block [UTC] | block_time
-- column: block_number | Height of the block
-- column: block_hash | Hash of the block; NULL where only a look-up holds the record
-- column: coverage_status | As in transactions and internal_transactions
CREATE VIEW bigquery.traces AS
SELECT
  tx_hash AS transaction_hash, from_address, to_address, wei_of(amount) AS value,
  CASE WHEN to_address IS NULL THEN 'create' ELSE 'call' END AS trace_type,
  CASE WHEN to_address IS NOT NULL THEN 'call' END AS call_type,
  CAST(succeeded AS BIGINT) AS status, block_time AS block_timestamp, block_number, block_hash,
  coverage_status
FROM curated.transactions
UNION ALL
SELECT
  tx_hash, from_address, to_address, wei_of(amount), trace_type_of(operation),
  CASE trace_type_of(operation) WHEN 'call' THEN lower(operation) END,
  CAST(succeeded AS BIGINT), block_time, block_number, block_hash, coverage_status
FROM curated.internal_transactions;
