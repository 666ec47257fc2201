-- How did the preconfirmed transactions end, and how much time did they gain?
--
-- column: outcome | settled, moved, replaced, dropped or unknown
-- column: transactions | Their number
-- column: median_seconds | Median time from the preconfirmation to the time of the block [seconds]
SELECT
  outcome, count(*) AS transactions, round(median(seconds_gained), 3) AS median_seconds
FROM preconfirmations
GROUP BY outcome
ORDER BY transactions DESC, outcome;
