-- At which hours of the day, in Europe/Berlin, do the followed addresses send most transactions?
--
-- column: hour_of_day | 0 to 23, in Europe/Berlin
-- column: transactions | Transactions that they sent in this hour of any day
SELECT
  hour(block_time AT TIME ZONE 'Europe/Berlin') AS hour_of_day,
  count(*) AS transactions
FROM address_activity
WHERE leg = 'fee' AND followed
GROUP BY hour_of_day
ORDER BY transactions DESC, hour_of_day;
