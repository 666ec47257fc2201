-- Records of a height of which complete lists hold different numbers of copies.
--
-- for: differing lists
WITH copies AS (
  SELECT dataset, height, list, tx_hash, from_address, to_address, token_address, token_id, kind,
    amount_text, count(*) AS copies
  FROM known.compared
  WHERE NOT is_transaction
  GROUP BY ALL
),
differing AS (
  SELECT height, dataset, tx_hash,
    list(list ORDER BY list) AS numbers, list(copies ORDER BY list) AS held
  FROM copies
  GROUP BY height, dataset, tx_hash, from_address, to_address, token_address, token_id, kind,
    amount_text
  HAVING min(copies) < max(copies)
)
SELECT
  height, dataset,
  (
    SELECT list(endpoint || '?' || variant ORDER BY l.list)
    FROM lake.lists AS l WHERE list_contains(differing.numbers, l.list)
  ) AS lists,
  count(*) AS records, min(tx_hash) AS subject,
  min({tx_hash: tx_hash, held: held}).held AS copies, list_sort(min(tx_hash, 3)) AS examples
FROM differing
GROUP BY height, dataset, differing.numbers;
