-- How much of each token did each address gain or lose, month by month?
--
-- Exact sums over the token legs of the primary chain. Add a condition on token_address or symbol
-- to ask for one token. Addresses that were not asked for by name have the legs of whole exported
-- blocks alone: leave them out with followed.
--
-- column: month | First day of the month [UTC]
-- column: address | The exported address
-- column: token_address | Contract of the token
-- column: symbol | A symbol of the token
-- column: moves | Legs
-- column: net_text | What came in less what went out, exact [token]
-- column: net_double | As a rounded double [token]
SELECT
  CAST(date_trunc('month', block_date) AS DATE) AS month,
  address,
  token_address,
  max(symbol) AS symbol,
  count(*) AS moves,
  exact_sum(signed_text) AS net_text,
  fsum(signed_double) AS net_double
FROM address_activity
WHERE leg = 'token'
GROUP BY ALL
ORDER BY month, address, token_address;
