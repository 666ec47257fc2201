-- The requested blocks, with the status of their records: one row per list (endpoint and
-- variant), key and interval of blocks. Blocks without a row were never exported.
--
-- example: SELECT endpoint, from_block, to_block, status FROM coverage WHERE key = lower('0x...')
-- column: key | The address, token contract or transaction hash; empty for lists that are asked
--   without keys
-- column: key_kind | address, token, transaction, or all for lists that are asked without keys
-- column: axis | primary or zone: which heights the blocks are
-- column: dataset | Dataset the list feeds
-- column: endpoint | Endpoint that was asked
-- column: variant | Filters it was asked with; empty for none
-- column: side | Which records of the address the list holds: from (sent), to (received) or both;
--   NULL for other keys
-- column: from_block | First block of the interval
-- column: to_block | Last block of the interval
-- column: blocks | Blocks in the interval, both ends included
-- column: status | complete, provisional, truncated, depth_limited, inconsistent or failed
-- column: meaning | The status in words
-- column: reason | Why, where the status does not say all
-- column: head | Head of the chain when it was read; the oldest one where readings were joined
-- column: read_at | When it was read; the oldest time where readings were joined [UTC]
CREATE VIEW coverage AS
SELECT
  key, key_kind, axis, dataset, endpoint, variant, side, from_block, to_block, blocks, status,
  CASE status
    WHEN 'complete' THEN 'every record was listed, and the walk was verified'
    WHEN 'provisional' THEN
      'near the head, a pending transaction or an unfinished record; runs read it again'
    WHEN 'truncated' THEN 'the service lists no more than a part, and it could not be split further'
    WHEN 'depth_limited' THEN 'older than what the service lists'
    WHEN 'inconsistent' THEN 'what was read contradicts itself or the chain; runs read it again'
    WHEN 'failed' THEN 'could not be read; the next run tries again'
    ELSE status
  END AS meaning,
  reason, head, read_at
FROM lake.coverage;
