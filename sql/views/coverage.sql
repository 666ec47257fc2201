-- What is known of every exported address: one row per interval of blocks, endpoint and variant.
--
-- column: address | The address; empty for lists that are asked without keys
-- column: dataset | Dataset the list feeds
-- column: endpoint | Endpoint that was asked
-- column: variant | Filters it was asked with; empty for none
-- column: from_block | First height, inclusive
-- column: to_block | Last height, inclusive
-- column: blocks | Heights in the interval
-- column: status | complete, provisional, truncated, inconsistent ...
-- column: meaning | The status in words
-- column: reason | Why, where the status does not say all
-- column: head | Head of the chain when it was read
-- column: read_at | When it was read; the oldest reading where several were joined [UTC]
CREATE VIEW coverage AS
SELECT address, dataset, endpoint, variant, from_block, to_block,
  to_block - from_block + 1 AS blocks, status,
  CASE status
    WHEN 'complete' THEN 'every record is in the lake'
    WHEN 'provisional' THEN 'at the safe height or above it: may still change'
    WHEN 'truncated' THEN 'the service lists no more than this'
    WHEN 'depth_limited' THEN 'the service does not reach back so far'
    WHEN 'inconsistent' THEN 'the service contradicted itself; fetched again in the next run'
    ELSE status
  END AS meaning,
  reason, head, read_at
FROM lake.coverage;
