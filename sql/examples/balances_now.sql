-- How much of each fungible token does each followed address hold, and where is that unknown?
--
-- column: address | The followed address
-- column: axis | primary or zone
-- column: token_address | Contract of the token; NULL for the native token
-- column: symbol | A symbol of the token
-- column: opening | Balance before the first exported block: zero or unknown
-- column: balance_text | Exact balance; NULL where the opening is unknown [token]
-- column: net_text | What came in less what went out in the exported blocks, exact [token]
SELECT address, axis, token_address, symbol, opening, balance_text, net_text
FROM token_balances
WHERE followed
ORDER BY address, axis, token_address NULLS FIRST;
