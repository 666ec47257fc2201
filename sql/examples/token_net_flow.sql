-- Which tokens flowed into the exported addresses, and which out of them?
--
-- Sums are exact, whatever the size of the amounts. Token legs of the primary chain; transfers
-- between two exported addresses cancel. A record with several senders or recipients counts as a
-- move, and its amount is in no sum, because the shares are unknown.
--
-- column: token_address | Contract of the token
-- column: symbol | A symbol that records give it; chosen by whoever made the token
-- column: token_standard | Protocol type of the token
-- column: received | Exact sum of what came in [token]
-- column: sent | Exact sum of what went out [token]
-- column: net | received less sent, exact [token]
-- column: moves | Legs of exported addresses
SELECT
  token_address,
  any_value(symbol ORDER BY symbol) AS symbol,
  token_standard,
  coalesce(exact_sum(CASE direction WHEN 'in' THEN signed_text END), '0') AS received,
  coalesce(exact_sum(CASE direction WHEN 'out' THEN ltrim(signed_text, '-') END), '0') AS sent,
  coalesce(exact_sum(signed_text), '0') AS net,
  count(*) AS moves
FROM address_activity
WHERE leg = 'token' AND tx_status IS DISTINCT FROM 'fail'
GROUP BY token_address, token_standard
ORDER BY moves DESC, token_address;
