-- Values that are not of the kind of their field, such as an amount that is not a number. The
-- column is NULL, and lake.<dataset> has the value as it was sent in extra. Sums leave them out.
--
-- severity: note
SELECT
  odd || CASE odd WHEN 1 THEN ' value' ELSE ' values' END || ' of ' || column_name
  || CASE odd WHEN 1 THEN ' is' ELSE ' are' END || ' odd in ' || dataset
  || ', so NULL there: ' || left(example, 80) AS finding,
  *
FROM (
  SELECT dataset, subject AS column_name, CAST(sum(records) AS BIGINT) AS odd,
    min(height) AS first_block, max(height) AS last_block, min(examples[1]) AS example
  FROM evidence
  GROUP BY dataset, subject
)
ORDER BY dataset, column_name;
