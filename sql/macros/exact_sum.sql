-- The exact sum of amounts given as text, of any size: whole numbers of 78 digits, up to 36 places
-- after the point, negative ones; NULLs are passed over. Text again, and NULL for no amounts. BIGNUM
-- adds whole numbers exactly, so the point is moved 36 places before and back after.
CREATE MACRO exact_units(amount_text) AS CAST(
  CASE WHEN amount_text LIKE '-%' THEN '-' ELSE '' END
  || ltrim(split_part(amount_text, '.', 1), '-')
  || rpad(split_part(amount_text, '.', 2), 36, '0') AS BIGNUM
);
CREATE MACRO exact_point(units) AS
  CASE WHEN units LIKE '-%' THEN '-' ELSE '' END
  || regexp_replace(
    regexp_replace(
      lpad(ltrim(units, '-'), CAST(greatest(37, length(ltrim(units, '-'))) AS INTEGER), '0'),
      '(.{36})$', '.\1'
    ),
    '\.?0+$', ''
  );
CREATE MACRO exact_sum(amount_text) AS
  exact_point(CAST(sum(exact_units(amount_text)) AS VARCHAR));
