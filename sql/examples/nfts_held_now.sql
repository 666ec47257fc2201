-- Which NFTs do the followed addresses hold now?
--
-- Only holdings that the lake proves. Rows of nft_holdings where is_held is NULL may be held.
--
-- column: address | The followed address
-- column: token_address | Contract of the token
-- column: symbol | A symbol of the token
-- column: token_standard | Protocol type of the token
-- column: token_id | Id of the token
-- column: amount_text | Exact amount; NULL where it may hold more than came in [token]
-- column: complete_until | Block up to which this is known
SELECT address, token_address, symbol, token_standard, token_id, amount_text, complete_until
FROM nft_holdings
WHERE followed AND axis = 'primary' AND is_held
ORDER BY address, token_address, token_id;
