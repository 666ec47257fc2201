-- Amounts of a height that do not fit DECIMAL(38,18), by column.
--
-- for: each dataset
SELECT height, dataset, subject, count(*) AS records, [min(example)] AS examples
FROM (
  SELECT $height AS height, '$dataset' AS dataset, unnest([$amounts], recursive := true)
  FROM bare.$dataset WHERE $unfit
)
WHERE example IS NOT NULL
GROUP BY height, dataset, subject;
