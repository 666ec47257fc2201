-- How high was the price of gas, day by day?
--
-- Over all exported transactions, those of addresses that were not followed included.
--
-- column: day | Day [UTC]
-- column: transactions | Transactions with a price
-- column: p10 | 10 of 100 transactions paid no more [wei]
-- column: p50 | Half of the transactions paid no more [wei]
-- column: p90 | 90 of 100 transactions paid no more [wei]
SELECT
  block_date AS day,
  count(gas_price) AS transactions,
  quantile_disc(gas_price, 0.1) AS p10,
  quantile_disc(gas_price, 0.5) AS p50,
  quantile_disc(gas_price, 0.9) AS p90
FROM transactions
WHERE gas_price IS NOT NULL
GROUP BY day
ORDER BY day;
