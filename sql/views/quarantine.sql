-- Records that broke their contract. Their slices are inconsistent until a run finds none there.
--
-- example: SELECT dataset, reason, count(*) FROM quarantine WHERE state = 'waiting' GROUP BY ALL
-- column: id | Its beginning names it in commands
-- column: state | waiting: the next run fetches its slice again; outdated: that was done since, or
--   its slice never landed
-- column: at | When it came first [UTC]
-- column: dataset | Dataset it is to land in
-- column: axis | primary or zone
-- column: endpoint | Endpoint that served it
-- column: variant | Filters of the request
-- column: keys | Keys of the request
-- column: from_block | First block asked
-- column: to_block | Last block asked
-- column: reason | How it breaks its contract
-- column: raw | The record as JSON
-- column: run | Run whose walk listed it last
-- column: read_at | When it was read last [UTC]
CREATE VIEW quarantine AS
SELECT
  q.id, CASE WHEN w.id IS NULL THEN 'outdated' ELSE 'waiting' END AS state, q.at,
  q.dataset, q.axis, q.endpoint, q.variant, q.keys, q.from_block, q.to_block, q.reason, q.raw,
  q.run, q.read_at
FROM lake.quarantine AS q
LEFT JOIN lake.waiting AS w ON w.id = q.id;
