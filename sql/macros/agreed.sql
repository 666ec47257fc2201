-- The value of all copies of a record, from the lowest and the highest one; NULL if they differ.
CREATE MACRO agreed(lowest, highest) AS CASE WHEN lowest = highest THEN lowest END;
