-- A text of digits as a HUGEINT. NULL for other texts, fractions included, and for numbers that
-- fit no HUGEINT.
CREATE MACRO whole_number(digits) AS
  CASE WHEN regexp_full_match(digits, '[0-9]+') THEN TRY_CAST(digits AS HUGEINT) END;
