-- The exact difference of two amounts given as text, as text; none may be negative, and both have
-- at most 255 digits after the point. NULL where one of them is NULL.
--
-- example: SELECT exact_difference('2.5', '0.000000000000000001')
CREATE MACRO exact_less(units, less_units) AS
  CAST(units + CAST('-' || CAST(less_units AS VARCHAR) AS BIGNUM) AS VARCHAR);
CREATE MACRO exact_difference(amount_text, less_text) AS CASE
  WHEN has_long_fraction(amount_text) OR has_long_fraction(less_text)
    THEN exact_decimal(exact_less(exact_units(amount_text, 255), exact_units(less_text, 255)), 255)
  ELSE exact_decimal(exact_less(exact_units(amount_text, 78), exact_units(less_text, 78)), 78)
END;
