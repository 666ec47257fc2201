-- Odd values of a height by column: those that `extra` has under the name of a field.
--
-- for: each dataset
WITH named AS (
  SELECT $height AS height, _endpoint AS endpoint, extra, unnest(json_keys(extra)) AS name
  FROM bare.$dataset WHERE extra IS NOT NULL
)
SELECT height, '$dataset' AS dataset, column_name AS subject, count(*) AS records,
  [min(json_extract_string(extra, '$."' || name || '"'))] AS examples
FROM named
JOIN bare.fields USING (endpoint, name)
GROUP BY height, column_name;
