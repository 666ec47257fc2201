-- Names of tokens from the CSV files of pipelines under the names of Dune: one row per token.
--
-- example: SELECT e."from", e.value / POWER(10, t.decimals) FROM erc20_ethereum.evt_Transfer e
--   JOIN tokens.erc20 t USING (contract_address) LIMIT 10
-- also: tokens.erc20
-- column: blockchain | ethereum, whatever the name of the exported chain
-- column: contract_address | Contract of the token | token_address
-- column: symbol | Symbol of the token
-- column: decimals | Decimal places of the token
CREATE VIEW dune.tokens_erc20 AS
SELECT 'ethereum' AS blockchain, token_address AS contract_address, symbol, decimals
FROM lake.tokens;
