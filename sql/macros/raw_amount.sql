-- The exact amount of a token in its smallest unit, as text, from the amount of a record and the
-- columns decimals and amounts of the tokens CSV. NULL without decimals.
--
-- example: SELECT raw_amount('1.5', 6, 'whole')
CREATE MACRO raw_amount(amount_text, decimals, amounts) AS moved_point(
  amount_text,
  CASE amounts WHEN 'whole' THEN decimals
    WHEN 'raw' THEN CASE WHEN decimals IS NOT NULL THEN 0 END END
);
