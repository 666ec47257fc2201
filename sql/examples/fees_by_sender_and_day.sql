-- How much did each exported address pay in fees, day by day?
--
-- Failed transactions pay as well. The fee of a record with several senders is in none of the sums,
-- because their shares are unknown. Only days whose rows are all complete are sums to rely on.
--
-- column: day | Day [UTC]
-- column: address | Who paid
-- column: transactions | Transactions that the address sent
-- column: failed | Of these, how many are known to have failed
-- column: fees | Exact sum of the known fees; NULL where none is known [native token]
-- column: is_complete | Every one of these rows is from a complete interval; blocks of the day that
--   were not exported have no rows
SELECT
  CAST(block_time AT TIME ZONE 'UTC' AS DATE) AS day,
  address,
  count(*) AS transactions,
  count(*) FILTER (tx_status = 'fail') AS failed,
  exact_sum(ltrim(signed_text, '-')) AS fees,
  bool_and(coverage_status = 'complete') AS is_complete
FROM address_activity
WHERE leg = 'fee'
GROUP BY ALL
ORDER BY day, address;
