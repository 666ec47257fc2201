-- Where is what I exported incomplete, and why?
--
-- Intervals that no list of the same records reaches completely. provisional ones are read again by
-- the next run; the others need a look at their reason.
--
-- column: dataset | Dataset
-- column: scope | What of it, as column=value; empty for all
-- column: key | Address, token or transaction; empty for lists of all
-- column: status | provisional, truncated, depth_limited, inconsistent or failed
-- column: reason | Why, where the status does not say all
-- column: from_block | First block
-- column: to_block | Last block
-- column: blocks | Blocks in the interval
SELECT DISTINCT dataset, scope, key, status, reason, from_block, to_block, blocks
FROM (
  SELECT dataset, scope, key, status, reason, from_block, to_block, blocks FROM lake.reach
  UNION ALL
  SELECT dataset, scope, key, status, reason, from_block, to_block, blocks
  FROM lake.coverage WHERE key_kind = 'transaction'
)
WHERE status <> 'complete'
ORDER BY status = 'provisional', dataset, key, from_block, scope;
