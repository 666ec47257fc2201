-- How much did each exported address pay in fees, day by day?
--
-- Failed transactions pay as well. Only days whose rows are all complete are sums to rely on.
--
-- column: day | Day [UTC]
-- column: address | Who paid
-- column: transactions | Transactions that the address sent
-- column: failed | Of these, how many are known to have failed
-- column: fees | Exact sum of the fees [native token]
-- column: is_complete | Every one of these rows is from a complete interval
SELECT
  CAST(block_time AT TIME ZONE 'UTC' AS DATE) AS day,
  address,
  count(*) AS transactions,
  count(*) FILTER (tx_status = 'fail') AS failed,
  exact_sum(amount_text) AS fees,
  bool_and(coverage_status = 'complete') AS is_complete
FROM address_activity
WHERE leg = 'fee'
GROUP BY ALL
ORDER BY day, address;
