-- An exact amount with its decimal point moved to the right by `places`, or to the left where they
-- are negative: moved_point('1.5', 6) is 1500000, moved_point('1500000', -6) is 1.5. Amounts are
-- texts without a sign, of any size. NULL where one of them is NULL, and where the fraction would
-- have more than 78 digits.
--
-- example: SELECT moved_point('1.5', 6), moved_point('1500000', -6)
CREATE MACRO moved_point(amount_text, places) AS CASE
  WHEN len(split_part(amount_text, '.', 2)) <= 78 + places THEN exact_decimal(
    split_part(amount_text, '.', 1)
    || rpad(split_part(amount_text, '.', 2), CAST(78 + places AS INTEGER), '0'),
    78
  )
END;
