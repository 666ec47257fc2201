-- Calls and creations of the primary chain under the names of Dune: the call of every transaction
-- and the internal transactions in it, which only some of the exported lists hold. Records have no
-- trace address, so rows of one transaction have no order.
--
-- example: SELECT SUM(value) / 1e18 FROM ethereum.traces WHERE success AND call_type = 'call'
-- also: ethereum.traces
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: block_number | Height of the block
-- column: block_hash | Hash of the block; NULL where only a look-up holds the record
-- column: tx_hash | Hash of the transaction
-- column: from | Caller | from_address
-- column: to | Address called or created | to_address
-- column: value | Amount, moved if the call succeeded [wei] | amount
-- column: type | call, create or suicide; NULL where the operation is unknown | operation
-- column: call_type | call, staticcall, delegatecall or callcode; NULL for others | operation
-- column: address | Contract that an internal transaction created; NULL for others | to_address
-- column: success | true where the call succeeded, false where not; NULL where unknown | succeeded
-- column: coverage_status | As in transactions and internal_transactions
CREATE VIEW dune.traces AS
SELECT
  block_time, block_date, block_number, block_hash,
  tx_hash, from_address AS "from", to_address AS "to", wei_of(amount) AS value,
  CASE WHEN to_address IS NULL THEN 'create' ELSE 'call' END AS type,
  CASE WHEN to_address IS NOT NULL THEN 'call' END AS call_type,
  NULL::VARCHAR AS address, succeeded AS success, coverage_status
FROM curated.transactions
UNION ALL
SELECT
  block_time, block_date, block_number, block_hash,
  tx_hash, from_address, to_address, wei_of(amount),
  trace_type_of(operation), CASE trace_type_of(operation) WHEN 'call' THEN lower(operation) END,
  CASE trace_type_of(operation) WHEN 'create' THEN to_address END, succeeded, coverage_status
FROM curated.internal_transactions;
