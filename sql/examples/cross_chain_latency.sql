-- How long do cross-chain transfers take, by kind?
--
-- Only successful transfers, from the block they left to the block they arrived in.
--
-- column: cross_type | Deposit, Withdraw or BatchWithdraw
-- column: direction | MainToZone or ZoneToMain
-- column: transfers | Successful transfers
-- column: timed | Of these, how many have both times
-- column: median_seconds | Half of them took no longer [s]
-- column: p95_seconds | 95 of 100 took no longer [s]
-- column: slowest_seconds | The slowest [s]
-- column: legs_missing | Transfers with a leg that ought to be in the lake and is not
SELECT
  cross_type,
  direction,
  count(*) AS transfers,
  count(latency_seconds) AS timed,
  round(quantile_cont(latency_seconds, 0.5), 1) AS median_seconds,
  round(quantile_cont(latency_seconds, 0.95), 1) AS p95_seconds,
  max(latency_seconds) AS slowest_seconds,
  count(*) FILTER (main_unmatched = 'missing' OR zone_unmatched = 'missing') AS legs_missing
FROM cross_chain_journeys
WHERE succeeded
GROUP BY ALL
ORDER BY cross_type, direction;
