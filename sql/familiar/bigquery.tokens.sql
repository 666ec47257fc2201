-- Names of tokens from the CSV files of pipelines under the names of the BigQuery data set
-- crypto_ethereum: one row per token.
--
-- example: SELECT symbol, decimals FROM crypto_ethereum.tokens
-- also: crypto_ethereum.tokens
-- column: address | Contract of the token | token_address
-- column: symbol | Symbol of the token
-- column: decimals | Decimal places of the token, as text
CREATE VIEW bigquery.tokens AS
SELECT token_address AS address, symbol, CAST(decimals AS VARCHAR) AS decimals
FROM lake.tokens;
