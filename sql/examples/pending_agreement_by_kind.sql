-- How often does the last pending value of a height equal the settled one?
--
-- column: what | block, balance, nonce, receipt or call
-- column: compared | Number of heights and values with both values
-- column: equal | Number of those that are equal
-- column: percent_equal | The same in percent
SELECT
  what,
  count(*) AS compared,
  count(*) FILTER (WHERE agrees) AS equal,
  round(100.0 * count(*) FILTER (WHERE agrees) / count(*), 1) AS percent_equal
FROM pending_vs_settled
WHERE agrees IS NOT NULL
GROUP BY what
ORDER BY what;
