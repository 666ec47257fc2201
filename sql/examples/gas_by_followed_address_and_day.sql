-- How much gas did the followed addresses use each day, and what did they pay for it?
--
-- column: day | Day [UTC]
-- column: senders | Followed addresses that sent transactions
-- column: transactions | Their transactions
-- column: gas_used | Gas that they used; NULL where that of one of them is unknown [gas]
-- column: fees_text | Exact sum of their fees; NULL where one of them is unknown [native token]
-- column: fees_double | The same as a number for a chart [native token]
SELECT
  day,
  count(*) AS senders,
  CAST(sum(transactions) AS BIGINT) AS transactions,
  CASE WHEN count(gas_used) = count(*) THEN CAST(sum(gas_used) AS DECIMAL(20, 0)) END AS gas_used,
  CASE WHEN count(fees_text) = count(*) THEN exact_sum(fees_text) END AS fees_text,
  CASE WHEN count(fees_text) = count(*) THEN fsum(fees_double) END AS fees_double
FROM fees_daily
WHERE followed
GROUP BY day
ORDER BY day;
