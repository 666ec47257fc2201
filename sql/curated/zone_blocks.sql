-- Blocks of the zone chain: one row per block hash.
--
-- example: SELECT block_date, count(*) AS blocks, sum(txn_count) AS transactions FROM zone_blocks
--   GROUP BY block_date
-- column: block_number | Height of the block on the zone chain
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: block_hash | Hash of the block
-- column: miner | Block producer
-- column: txn_count | Transactions in the block, as the service declares
-- column: coverage_status | complete where a list that holds the block is complete at its height;
--   else the best status of such coverage, or none | lake.coverage
-- column: sources | Endpoints that hold the block
WITH ordered AS (
  SELECT *, precedence(_status_rank, _endpoint_rank, _fetched_at, _list,
    hash(*COLUMNS(lambda c: c !~ '_.*|.*addresses'))) AS _order
  FROM known.zone_blocks
)
SELECT
  block_number,
  arg_min(block_time, _order) AS block_time,
  day_of(arg_min(block_time, _order)) AS block_date,
  block_hash,
  arg_min(miner, _order) AS miner,
  arg_min(txn_count, _order) AS txn_count,
  status_of(min(_status_rank)) AS coverage_status,
  list_sort(list_distinct(list(_endpoint))) AS sources
FROM ordered
WHERE block_hash IS NOT NULL
GROUP BY block_number, block_hash
UNION ALL
-- Without a hash nothing says that two rows are one.
SELECT
    block_number, block_time, day_of(block_time), block_hash, miner, txn_count,
  status_of(_status_rank), [_endpoint]
FROM ordered
WHERE block_hash IS NULL;
