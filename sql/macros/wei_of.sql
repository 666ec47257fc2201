-- An amount of the native token, as a DECIMAL(38,18), in wei: a HUGEINT, exact. NULL for NULL.
--
-- example: SELECT tx_hash, wei_of(amount) FROM transactions LIMIT 10
CREATE MACRO wei_of(amount) AS
  CAST(replace(CAST(CAST(amount AS DECIMAL(38, 18)) AS VARCHAR), '.', '') AS HUGEINT);
