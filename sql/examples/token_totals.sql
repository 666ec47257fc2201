-- How much of each token moved in all, exactly and as a number for a chart?
--
-- Transfers of failed transactions are left out. SUM over the column amount would end with an error
-- past 1e20.
--
-- column: token_address | Contract of the token
-- column: token_standard | Protocol type of the token
-- column: transfers | Transfers
-- column: total_text | Exact sum of their amounts [token]
-- column: total_double | Rounded sum of their amounts, for sorting and charts [token]
SELECT
  token_address, token_standard,
  count(*) AS transfers,
  exact_sum(amount_text) AS total_text,
  sum(amount_double) AS total_double
FROM token_transfers
WHERE succeeded IS DISTINCT FROM false
GROUP BY token_address, token_standard
ORDER BY total_double DESC NULLS LAST, token_address;
