-- The exact difference of two amounts given as text, as text; none may be negative, and both have
-- at most 78 digits after the point. NULL where one of them is NULL.
--
-- example: SELECT exact_difference('2.5', '0.000000000000000001')
CREATE MACRO exact_difference(amount_text, less_text) AS exact_decimal(
  CAST(
    exact_units(amount_text) + CAST('-' || CAST(exact_units(less_text) AS VARCHAR) AS BIGNUM)
    AS VARCHAR
  )
);
