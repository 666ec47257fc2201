-- Blocks of the primary chain: one row per block hash. Every field is that of the first endpoint
-- that has it: block details, then the block list. Two rows of one height mean that the chain was
-- reorganised between two readings.
--
-- example: SELECT block_date, avg(gas_used / gas_limit) AS fullness FROM blocks GROUP BY
--   block_date
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: block_hash | Hash of the block
-- column: block_state | pending or done, as of the reading
-- column: txn_count | Normal transactions in the block
-- column: txn_internal | Internal transactions in the block; only in block details
-- column: amount_text | Exact amount moved [native token]
-- column: amount | As a number; NULL where it does not fit [native token]
-- column: amount_double | The nearest double, for charts and sorting [native token]
-- column: mine_reward_text | Exact block reward [native token]
-- column: mine_reward | As a number; NULL where it does not fit [native token]
-- column: total_fee_text | Exact sum of the fees [fee currency]
-- column: total_fee | As a number; NULL where it does not fit [fee currency]
-- column: fee_symbol | Fee currency
-- column: avg_fee_text | Exact average fee [fee currency]
-- column: avg_fee | As a number; NULL where it does not fit [fee currency]
-- column: burnt_text | Exact fee destroyed [native token]
-- column: burnt | As a number; NULL where it does not fit [native token]
-- column: gas_used | Gas used [gas]
-- column: gas_limit | Gas allowed [gas]
-- column: gas_avg_price_text | Exact average gas price [native token]
-- column: gas_avg_price | As a number; NULL where it does not fit [native token]
-- column: base_fee_per_gas_text | Exact base fee per gas [native token]
-- column: base_fee_per_gas | As a number; NULL where it does not fit [native token]
-- column: tips_text | Exact highest priority price [native token]
-- column: tips | As a number; NULL where it does not fit [native token]
-- column: validator | Validator: an address, or a name
-- column: miner | Address that packed the block
-- column: ommer_blocks | Ommer blocks
-- column: block_size | Size of the block [bytes]
-- column: merkle_root | Merkle root hash
-- column: difficulty | Packing difficulty
-- column: block_nonce | Nonce of the block
-- column: confirmations | Blocks confirmed since, as of the reading
-- column: chain_full_name | Full name of the chain
-- column: chain_short_name | Short name of the chain
-- column: coverage_status | complete where one of the lists that hold the block is complete at its
--   height; else the best status of such coverage, or none | lake.coverage
-- column: sources | Endpoints that hold the block
WITH ordered AS (
  SELECT *, precedence(_status_rank, _endpoint_rank, _fetched_at, _list,
    hash(*COLUMNS(lambda c: c !~ '_.*|.*addresses'))) AS _order
  FROM known.blocks
)
-- A number is that of the text beside it, so it is NULL where the text does not fit.
SELECT
  block_number,
  arg_min(block_time, _order) AS block_time,
  day_of(arg_min(block_time, _order)) AS block_date,
  block_hash,
  arg_min(block_state, _order) AS block_state,
  arg_min(txn_count, _order) AS txn_count,
  arg_min(txn_internal, _order) AS txn_internal,
  arg_min(amount_text, _order) AS amount_text,
  arg_min_null(amount, _order) FILTER (amount_text IS NOT NULL) AS amount,
  TRY_CAST(arg_min(amount_text, _order) AS DOUBLE) AS amount_double,
  arg_min(mine_reward_text, _order) AS mine_reward_text,
  arg_min_null(mine_reward, _order) FILTER (mine_reward_text IS NOT NULL) AS mine_reward,
  arg_min(total_fee_text, _order) AS total_fee_text,
  arg_min_null(total_fee, _order) FILTER (total_fee_text IS NOT NULL) AS total_fee,
  arg_min(fee_symbol, _order) AS fee_symbol,
  arg_min(avg_fee_text, _order) AS avg_fee_text,
  arg_min_null(avg_fee, _order) FILTER (avg_fee_text IS NOT NULL) AS avg_fee,
  arg_min(burnt_text, _order) AS burnt_text,
  arg_min_null(burnt, _order) FILTER (burnt_text IS NOT NULL) AS burnt,
  arg_min(gas_used, _order) AS gas_used,
  arg_min(gas_limit, _order) AS gas_limit,
  arg_min(gas_avg_price_text, _order) AS gas_avg_price_text,
  arg_min_null(gas_avg_price, _order) FILTER (gas_avg_price_text IS NOT NULL) AS gas_avg_price,
  arg_min(base_fee_per_gas_text, _order) AS base_fee_per_gas_text,
  arg_min_null(base_fee_per_gas, _order) FILTER (base_fee_per_gas_text IS NOT NULL)
    AS base_fee_per_gas,
  arg_min(tips_text, _order) AS tips_text,
  arg_min_null(tips, _order) FILTER (tips_text IS NOT NULL) AS tips,
  arg_min(validator, _order) AS validator,
  arg_min(miner, _order) AS miner,
  arg_min(ommer_blocks, _order) AS ommer_blocks,
  arg_min(block_size, _order) AS block_size,
  arg_min(merkle_root, _order) AS merkle_root,
  arg_min(difficulty, _order) AS difficulty,
  arg_min(block_nonce, _order) AS block_nonce,
  arg_min(confirmations, _order) AS confirmations,
  arg_min(chain_full_name, _order) AS chain_full_name,
  arg_min(chain_short_name, _order) AS chain_short_name,
  status_of(min(_status_rank)) AS coverage_status,
  list_sort(list_distinct(list(_endpoint))) AS sources
FROM ordered
WHERE block_hash IS NOT NULL
GROUP BY block_number, block_hash
UNION ALL
-- Without a hash nothing says that two rows are one.
SELECT
  block_number, block_time, day_of(block_time), block_hash, block_state, txn_count, txn_internal,
  amount_text,
  amount, TRY_CAST(amount_text AS DOUBLE), mine_reward_text, mine_reward, total_fee_text,
  total_fee, fee_symbol, avg_fee_text, avg_fee, burnt_text, burnt, gas_used, gas_limit,
  gas_avg_price_text, gas_avg_price,
  base_fee_per_gas_text, base_fee_per_gas, tips_text, tips, validator, miner, ommer_blocks,
  block_size, merkle_root, difficulty, block_nonce, confirmations, chain_full_name,
  chain_short_name,
  status_of(_status_rank), [_endpoint]
FROM ordered
WHERE block_hash IS NULL;
