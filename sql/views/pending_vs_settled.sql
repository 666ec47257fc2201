-- Values of the pending state beside the settled ones of the same height: one row per height and
-- value, from its last reading as pending. The settled value was read once the height was in the
-- chain; without such a reading, receipts are compared with the rows of lists. A value
-- that differs need not be an error: transactions may have joined the block after the last reading.
--
-- example: SELECT what, agrees, count(*) FROM pending_vs_settled GROUP BY ALL
-- column: what | block, balance, nonce, receipt or call
-- column: subject | Address, transaction hash, or contract and input of the call; NULL for a block
-- column: block_number | Height of the block that was pending
-- column: read_at | When the pending value was read last [UTC]
-- column: readings | Number of rows with a pending value for this height
-- column: pending_value | Value as pending, exact: hashes of the transactions, wei, nonce, status
--   and gas used, or the result of the call
-- column: settled_value | The same as settled; NULL where it is not known
-- column: settled_at | When the settled value was read; NULL for rows of lists [UTC]
-- column: agrees | Whether both are equal; NULL where one of them is not known, or where the head
--   moved during the reading
CREATE VIEW pending_vs_settled AS
WITH readings AS (
  SELECT 'block' AS what, NULL AS subject, tag, block_number, block_number_after, read_at,
    tx_hashes AS reading_value, true AS is_value
  FROM lake.pending_blocks
  UNION ALL
  SELECT 'balance', address, tag, block_number, block_number_after, read_at, balance_raw, true
  FROM lake.pending_balances
  UNION ALL
  SELECT 'nonce', address, tag, block_number, block_number_after, read_at,
    CAST(next_nonce AS VARCHAR), true
  FROM lake.pending_nonces
  UNION ALL
  -- A receipt of another height is of a transaction that moved.
  SELECT 'receipt', tx_hash, tag, block_number, block_number_after, read_at,
    tx_status || ' ' || CAST(gas_used AS VARCHAR), in_block = block_number
  FROM lake.pending_receipts
  UNION ALL
  SELECT 'call', contract_address || ' ' || call_data, tag, block_number, block_number_after,
    read_at, result, true
  FROM lake.pending_calls
),
pending AS (
  SELECT what, subject, block_number, max(read_at) AS read_at, count(*) AS readings,
    arg_max_null(reading_value, read_at) AS pending_value,
    arg_max_null(block_number_after = block_number, read_at) AS is_of_height
  FROM readings
  WHERE tag = 'pending' AND block_number IS NOT NULL
  GROUP BY what, subject, block_number
),
settled AS (
  SELECT what, subject, block_number, max(read_at) AS settled_at,
    arg_max_null(CASE WHEN is_value THEN reading_value END, read_at) AS settled_value
  FROM readings
  WHERE tag = 'settled'
  GROUP BY what, subject, block_number
),
listed AS (
  SELECT 'receipt' AS what, tx_hash AS subject, block_number,
    tx_status || ' ' || CAST(gas_used AS VARCHAR) AS settled_value
  FROM curated.transactions
  WHERE tx_hash IN (SELECT tx_hash FROM lake.pending_receipts)
)
SELECT pending.what, pending.subject, pending.block_number, pending.read_at, pending.readings,
  pending.pending_value, coalesce(settled.settled_value, listed.settled_value) AS settled_value,
  settled.settled_at,
  CASE WHEN pending.is_of_height
    THEN pending.pending_value = coalesce(settled.settled_value, listed.settled_value)
  END AS agrees
FROM pending
LEFT JOIN settled ON settled.what = pending.what AND settled.block_number = pending.block_number
  AND settled.subject IS NOT DISTINCT FROM pending.subject
LEFT JOIN listed ON listed.what = pending.what AND listed.block_number = pending.block_number
  AND listed.subject = pending.subject;
