-- A text of digits as a HUGEINT. NULL for other texts, fractions included, and for numbers that
-- fit no HUGEINT.
--
-- example: SELECT whole_number('1500000')
CREATE MACRO whole_number(digits) AS
  CASE WHEN regexp_matches(digits, '^[0-9]+$') THEN TRY_CAST(digits AS HUGEINT) END;
