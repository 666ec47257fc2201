-- Runs of pipelines, as their reports tell: one row per run that had ended when the warehouse was
-- built. The newest run builds the warehouse before it ends, so it is here after the next one.
--
-- example: SELECT started_at, exit, requests, rows FROM runs ORDER BY started_at DESC LIMIT 10
-- column: run | Name of the run; _run of the rows it landed
-- column: pipeline | Name of its pipeline
-- column: started_at | When it began [UTC]
-- column: ended_at | When it ended [UTC]; NULL for a killed run
-- column: seconds | How long it took [s]
-- column: exit | Exit code: 0 ok, 1 failed, 3 partial, 4 checks failed, 130 interrupted; NULL for
--   a killed run
-- column: nothing_to_do | All that was asked was there already
-- column: planned_requests | Requests it expected; a lower bound for endpoints never asked before
-- column: requests | Requests it made
-- column: rejections | Requests that the service refused for their rate
-- column: received | Size of the answers [bytes]
-- column: slices | Slices it walked
-- column: slices_failed | Slices that failed
-- column: slices_left | Slices it had no time for
-- column: commits | Commits it made
-- column: rows | Rows it landed
-- column: rows_replaced | Older rows that they replaced
-- column: quarantined | Records that broke their contract
-- column: errors_found | Findings of checks of severity error
CREATE VIEW runs AS
SELECT
  run, pipeline, started_at, ended_at, epoch_ms(ended_at - started_at) / 1000 AS seconds, exit,
  nothing_to_do, planned_requests, requests, rejections, received,
  slices, slices_failed, slices_left, commits, rows, rows_replaced, quarantined, errors_found
FROM lake.runs;
