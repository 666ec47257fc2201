-- Rows of a height that no coverage entry includes, by list.
--
-- for: each dataset
SELECT $height AS height, '$dataset' AS dataset, _endpoint AS endpoint, _variant AS variant,
  count(*) AS records, min($record, 3) AS examples
FROM known.$dataset
WHERE _status_rank = 7
GROUP BY $height, _endpoint, _variant;
