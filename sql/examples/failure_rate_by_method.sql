-- Which methods fail most often?
--
-- Only transactions whose status a list states.
--
-- column: method_id | Identifier of the method; NULL for plain transfers
-- column: method_name | Its name, from the methods CSV
-- column: known | Transactions with a known status
-- column: failed | Of these, how many failed
-- column: failed_percent | The same in percent, rounded to two places
SELECT
  method_id, method_name,
  count(succeeded) AS known,
  count(*) FILTER (NOT succeeded) AS failed,
  round(100 * failed / known, 2) AS failed_percent
FROM transactions
WHERE succeeded IS NOT NULL
GROUP BY ALL
ORDER BY failed_percent DESC, method_id;
