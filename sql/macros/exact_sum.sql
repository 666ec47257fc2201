-- Exact sum of amounts given as text, as text without needless zeros. Amounts have any size, with
-- or without a sign, and up to 255 digits after the point, because a token may have 255 decimals.
-- NULLs are skipped; of nothing but NULLs the sum is NULL. Text that is not an amount ends the
-- query with an error, and so does a longer fraction: nothing is rounded.
--
-- exact_decimal puts the point that number of places before the end of a whole number. Zeros in
-- front make the number long enough for that; those still there afterwards go.
--
-- example: SELECT token_address, exact_sum(amount_text) FROM token_transfers GROUP BY
--   token_address
CREATE MACRO exact_decimal(units, places) AS rtrim(
  rtrim(
    regexp_replace(
      regexp_replace(units, '^(-?)', '\1' || repeat('0', places + 1)),
      '^(-?)0*([0-9]+)([0-9]{' || places || '})$',
      '\1\2.\3'
    ),
    '0'
  ),
  '.'
);
-- The digits behind the point as a whole number of 10^-places, with the sign of the amount: the
-- whole part of -0.5 is -0.
CREATE MACRO exact_fraction(amount_text, places) AS CAST(
  CASE WHEN starts_with(amount_text, '-') THEN '-' ELSE '' END
  || rpad(split_part(amount_text, '.', 2), places, '0') AS BIGNUM
);
-- Numbers with 255 places are slow, so amounts with more than 78 places are summed apart.
CREATE MACRO has_long_fraction(amount_text) AS
  length(amount_text) > 79 AND length(split_part(amount_text, '.', 2)) > 78;
CREATE MACRO exact_parts(whole, fraction, long_fraction) AS CASE
  WHEN fraction IS NULL AND long_fraction IS NULL THEN whole
  WHEN long_fraction IS NULL
    THEN exact_decimal(
      CAST(CAST(whole || repeat('0', 78) AS BIGNUM) + fraction AS VARCHAR), 78
    )
  ELSE exact_decimal(
    CAST(
      CAST(whole || repeat('0', 255) AS BIGNUM)
      + CAST(coalesce(CAST(fraction AS VARCHAR), '') || repeat('0', 177) AS BIGNUM)
      + long_fraction AS VARCHAR
    ),
    255
  )
END;
-- BIGNUM adds whole numbers exactly. Whole parts and fractions are summed apart, because few
-- amounts have a fraction and wide numbers are slow.
CREATE MACRO exact_sum(amount_text) AS exact_parts(
  CAST(
    sum(
      CASE
        WHEN amount_text IS NULL THEN NULL
        WHEN regexp_full_match(CAST(amount_text AS VARCHAR), '-?[0-9]+([.][0-9]+)?')
          AND (
            length(CAST(amount_text AS VARCHAR)) <= 256
            OR length(split_part(CAST(amount_text AS VARCHAR), '.', 2)) <= 255
          )
          THEN CAST(split_part(CAST(amount_text AS VARCHAR), '.', 1) AS BIGNUM)
        ELSE error('exact_sum cannot add ' || CAST(amount_text AS VARCHAR))
      END
    ) AS VARCHAR
  ),
  sum(
    CASE WHEN contains(CAST(amount_text AS VARCHAR), '.')
      AND NOT has_long_fraction(CAST(amount_text AS VARCHAR))
      THEN exact_fraction(CAST(amount_text AS VARCHAR), 78) END
  ),
  sum(
    CASE WHEN has_long_fraction(CAST(amount_text AS VARCHAR))
      THEN exact_fraction(CAST(amount_text AS VARCHAR), 255) END
  )
);
