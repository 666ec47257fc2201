-- Exact sum of amounts given as text, as text without needless zeros: amounts of any size, with up
-- to 78 digits after the point, and with a sign. NULLs are skipped; of nothing but NULLs the sum is
-- NULL. Text that is not an amount ends the query with an error, and so does a longer fraction:
-- nothing is rounded.
--
-- exact_decimal puts the point 78 digits before the end of a whole number. Zeros in front make the
-- number long enough for that; those still there afterwards go.
--
-- example: SELECT token_address, exact_sum(amount_text) FROM token_transfers GROUP BY
--   token_address
CREATE MACRO exact_decimal(units) AS rtrim(
  rtrim(
    regexp_replace(
      regexp_replace(units, '^(-?)', '\1' || repeat('0', 79)),
      '^(-?)0*([0-9]+)([0-9]{78})$',
      '\1\2.\3'
    ),
    '0'
  ),
  '.'
);
-- BIGNUM adds whole numbers exactly. Whole parts and fractions are summed apart, because few
-- amounts have a fraction and wide numbers are slow. The whole part of -0.5 is -0, so a fraction
-- carries its own sign.
CREATE MACRO exact_sum(amount_text) AS exact_decimal(
  CAST(
    CAST(
      CAST(
        sum(
          CASE
            WHEN amount_text IS NULL THEN NULL
            WHEN regexp_full_match(CAST(amount_text AS VARCHAR), '-?[0-9]+([.][0-9]{1,78})?')
              THEN CAST(split_part(CAST(amount_text AS VARCHAR), '.', 1) AS BIGNUM)
            ELSE error('exact_sum cannot add ' || CAST(amount_text AS VARCHAR))
          END
        ) AS VARCHAR
      ) || repeat('0', 78) AS BIGNUM
    )
    + coalesce(
      sum(
        CAST(
          CASE WHEN starts_with(CAST(amount_text AS VARCHAR), '-') THEN '-' ELSE '' END
          || rpad(split_part(CAST(amount_text AS VARCHAR), '.', 2), 78, '0') AS BIGNUM
        )
      ) FILTER (contains(CAST(amount_text AS VARCHAR), '.')),
      CAST('0' AS BIGNUM)
    ) AS VARCHAR
  )
);
