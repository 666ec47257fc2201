-- Names of tokens from the CSV files that pipelines name as names.tokens: one row per token. The
-- newest run's file wins.
--
-- example: SELECT symbol, decimals FROM tokens ORDER BY symbol
-- column: token_address | Contract, in lower case
-- column: symbol | Its symbol, as the file says
-- column: decimals | Its decimal places
-- column: amounts | whole: the service states amounts in whole tokens; raw: in the smallest unit
CREATE VIEW tokens AS SELECT token_address, symbol, decimals, amounts FROM lake.tokens;
