-- The counts that blocks declare, beside the records that landed: one row per block of either
-- chain. Counts are compared only where all of the block was exported completely: by the list of
-- a block or of blocks, not by lists of addresses.
--
-- example: SELECT block_number, declared_transactions, landed_transactions FROM blocks_reconciled
--   WHERE NOT agrees
-- column: axis | primary or zone
-- column: block_number | Height of the block on its chain
-- column: block_hash | Hash of the block
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: declared_transactions | Transactions that the block declares | blocks or zone_blocks
-- column: landed_transactions | Transactions of the block in the warehouse
-- column: transactions_status | Whether these are all: complete, another status, or none
-- column: transactions_agree | The two numbers are equal; NULL where they cannot be compared
-- column: declared_internal | Internal transactions that the block declares; NULL where only the
--   block list was asked, and on the zone chain
-- column: landed_internal | Internal transactions of the block in the warehouse
-- column: internal_status | Whether these are all: complete, another status, or none
-- column: internal_agree | The two numbers are equal; NULL where they cannot be compared
-- column: agrees | false where a comparison fails, true where none does; NULL without any
-- column: coverage_status | Status of the block's own coverage
CREATE VIEW blocks_reconciled AS
WITH declared AS (
  SELECT 'primary' AS axis, 'transactions' AS source, block_number, block_hash, block_time,
    block_date, txn_count, txn_internal, coverage_status
  FROM blocks
  UNION ALL
  SELECT 'zone', 'zone_transactions', block_number, block_hash, block_time, block_date, txn_count,
    NULL, coverage_status
  FROM zone_blocks
),
landed AS (
  SELECT 'primary' AS axis, block_number, count(*) AS records FROM curated.transactions GROUP BY ALL
  UNION ALL
  SELECT 'zone', block_number, count(*) FROM curated.zone_transactions GROUP BY ALL
),
landed_internal AS (
  SELECT 'primary' AS axis, block_number, count(*) AS records
  FROM curated.internal_transactions
  GROUP BY ALL
),
compared AS (
  SELECT
    d.axis, d.block_number, d.block_hash, d.block_time, d.block_date,
    d.txn_count AS declared_transactions,
    coalesce(landed.records, 0) AS landed_transactions,
    status_of(whole.status_rank) AS transactions_status,
    CASE
      WHEN d.coverage_status = 'complete' AND whole.status_rank = 1
        THEN declared_transactions = landed_transactions
    END AS transactions_agree,
    d.txn_internal AS declared_internal,
    CASE d.axis WHEN 'primary' THEN coalesce(i.records, 0) END AS landed_internal,
    CASE d.axis WHEN 'primary' THEN status_of(whole_internal.status_rank) END AS internal_status,
    CASE
      WHEN d.coverage_status = 'complete' AND whole_internal.status_rank = 1
        THEN declared_internal = landed_internal
    END AS internal_agree,
    d.coverage_status
  FROM declared AS d
  LEFT JOIN landed ON landed.axis = d.axis AND landed.block_number = d.block_number
  LEFT JOIN landed_internal AS i ON i.axis = d.axis AND i.block_number = d.block_number
  LEFT JOIN known.reach_parts AS whole
    ON whole.dataset = d.source AND whole.key = '' AND whole.scope = ''
    AND whole.part = known.part_of(d.block_number)
    AND d.block_number BETWEEN whole.from_block AND whole.to_block
  LEFT JOIN known.reach_parts AS whole_internal
    ON d.axis = 'primary' AND whole_internal.dataset = 'internal_transactions'
    AND whole_internal.key = '' AND whole_internal.scope = ''
    AND whole_internal.part = known.part_of(d.block_number)
    AND d.block_number BETWEEN whole_internal.from_block AND whole_internal.to_block
)
SELECT
  axis, block_number, block_hash, block_time, block_date,
  declared_transactions, landed_transactions, transactions_status, transactions_agree,
  declared_internal, landed_internal, internal_status, internal_agree,
  coalesce(transactions_agree AND internal_agree, transactions_agree, internal_agree) AS agrees,
  coverage_status
FROM compared;
