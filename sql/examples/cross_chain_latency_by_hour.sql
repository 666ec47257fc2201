-- How long do cross-chain transfers take, by the hour in which they left?
--
-- column: direction | MainToZone or ZoneToMain
-- column: hour | Start of the hour, without a time zone [UTC]
-- column: transfers | Successful transfers with both times
-- column: median_seconds | Half of them took no longer [s]
-- column: p95_seconds | 95 of 100 took no longer [s]
SELECT
  direction,
  date_trunc('hour', departed_at AT TIME ZONE 'UTC') AS hour,
  count(*) AS transfers,
  round(quantile_cont(latency_seconds, 0.5), 1) AS median_seconds,
  round(quantile_cont(latency_seconds, 0.95), 1) AS p95_seconds
FROM cross_chain_journeys
WHERE succeeded AND latency_seconds IS NOT NULL
GROUP BY ALL
ORDER BY direction, hour;
