-- Exact sum of amounts that are there both as number and as text, such as amount and amount_text;
-- none may be negative. The same text as exact_sum(amount_text), at a fraction of its cost where
-- most amounts are below 1e11: numbers add fast, and a thousand million of these fit a DECIMAL.
--
-- example: SELECT token_address, exact_total(amount, amount_text) FROM token_transfers GROUP BY
--   token_address
CREATE MACRO exact_units(whole_or_fraction) AS CAST(
  split_part(whole_or_fraction, '.', 1)
  || rpad(split_part(whole_or_fraction, '.', 2), 78, '0') AS BIGNUM
);
CREATE MACRO exact_total(amount, amount_text) AS CASE
  WHEN sum(amount) FILTER (amount < 100000000000) IS NULL
    THEN exact_sum(CASE WHEN amount < 100000000000 THEN NULL ELSE amount_text END)
  WHEN exact_sum(CASE WHEN amount < 100000000000 THEN NULL ELSE amount_text END) IS NULL
    THEN rtrim(rtrim(CAST(sum(amount) FILTER (amount < 100000000000) AS VARCHAR), '0'), '.')
  ELSE exact_decimal(
    CAST(
      exact_units(CAST(sum(amount) FILTER (amount < 100000000000) AS VARCHAR))
      + exact_units(exact_sum(CASE WHEN amount < 100000000000 THEN NULL ELSE amount_text END))
      AS VARCHAR
    )
  )
END;
