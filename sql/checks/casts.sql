-- Amounts that do not fit DECIMAL(38,18): the number is NULL beside a text that is exact. Sums over
-- the number leave them out, so sum the text with exact_sum.
--
-- severity: note
SELECT
  amounts || CASE amounts WHEN 1 THEN ' value' ELSE ' values' END || ' of ' || column_name
  || CASE amounts WHEN 1 THEN ' does' ELSE ' do' END
  || ' not fit the number beside the text in ' || dataset AS finding,
  *
FROM (
  SELECT dataset, subject AS column_name, CAST(sum(records) AS BIGINT) AS amounts,
    min(examples[1]) AS example
  FROM evidence
  GROUP BY dataset, subject
)
ORDER BY dataset, column_name;
