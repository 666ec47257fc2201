-- Blocks of the primary chain under the names of the BigQuery data set crypto_ethereum: one row per
-- block hash.
--
-- example: SELECT number, gas_used / gas_limit AS utilization FROM crypto_ethereum.blocks
-- also: crypto_ethereum.blocks
-- column: timestamp | Time of the block [UTC] | block_time
-- column: number | Height of the block | block_number
-- column: hash | Hash of the block | block_hash
-- column: nonce | Nonce of the block | block_nonce
-- column: miner | Address that packed the block
-- column: difficulty | Packing difficulty
-- column: size | Size of the block [bytes] | block_size
-- column: gas_limit | Gas allowed [gas]
-- column: gas_used | Gas used [gas]
-- column: transaction_count | Normal transactions in the block | txn_count
-- column: base_fee_per_gas | Base fee per gas [wei]
-- column: coverage_status | As in blocks
CREATE VIEW bigquery.blocks AS
SELECT
  block_time AS timestamp, block_number AS number, block_hash AS hash, block_nonce AS nonce, miner,
  difficulty, block_size AS size, gas_limit, gas_used, txn_count AS transaction_count,
  wei_of(base_fee_per_gas) AS base_fee_per_gas, coverage_status
FROM curated.blocks;
