-- Exact sum of amounts that are there both as number and as text, such as amount and amount_text;
-- none may be negative. The same text as exact_sum(amount_text), at a fraction of its cost where
-- most amounts are below 1e11: numbers add fast, and a thousand million of these fit a DECIMAL.
--
-- example: SELECT token_address, exact_total(amount, amount_text) FROM token_transfers GROUP BY
--   token_address
CREATE MACRO exact_units(amount_text, places) AS CAST(
  split_part(amount_text, '.', 1) || rpad(split_part(amount_text, '.', 2), places, '0') AS BIGNUM
);
CREATE MACRO exact_added(one_text, other_text) AS CASE
  WHEN has_long_fraction(one_text) OR has_long_fraction(other_text)
    THEN exact_decimal(
      CAST(exact_units(one_text, 255) + exact_units(other_text, 255) AS VARCHAR), 255
    )
  ELSE exact_decimal(CAST(exact_units(one_text, 78) + exact_units(other_text, 78) AS VARCHAR), 78)
END;
-- A macro repeats an expression wherever it names it. The lambda over a list of one pair names both
-- sums, so they are planned once.
CREATE MACRO exact_total(amount, amount_text) AS list_transform(
  [{
    'numbers': CAST(sum(amount) FILTER (amount < 100000000000) AS VARCHAR),
    'texts': exact_sum(CASE WHEN amount < 100000000000 THEN NULL ELSE amount_text END)
  }],
  lambda summed: CASE
    WHEN summed.numbers IS NULL THEN summed.texts
    WHEN summed.texts IS NULL THEN rtrim(rtrim(summed.numbers, '0'), '.')
    ELSE exact_added(summed.numbers, summed.texts)
  END
)[1];
