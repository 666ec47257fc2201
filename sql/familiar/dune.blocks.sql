-- Blocks of the primary chain under the names of Dune: one row per block hash.
--
-- example: SELECT number, base_fee_per_gas / 1e9 AS gwei FROM ethereum.blocks ORDER BY number
--   LIMIT 10
-- also: ethereum.blocks
-- column: time | Time of the block [UTC] | block_time
-- column: date | Day of the block [UTC] | block_date
-- column: number | Height of the block | block_number
-- column: hash | Hash of the block | block_hash
-- column: miner | Address that packed the block
-- column: gas_limit | Gas allowed [gas]
-- column: gas_used | Gas used [gas]
-- column: base_fee_per_gas | Base fee per gas [wei]
-- column: difficulty | Packing difficulty
-- column: size | Size of the block [bytes] | block_size
-- column: nonce | Nonce of the block | block_nonce
-- column: coverage_status | As in blocks
CREATE VIEW dune.blocks AS
SELECT
  block_time AS time, block_date AS date, block_number AS number, block_hash AS hash, miner,
  gas_limit, gas_used, wei_of(base_fee_per_gas) AS base_fee_per_gas, difficulty,
  block_size AS size, block_nonce AS nonce, coverage_status
FROM curated.blocks;
