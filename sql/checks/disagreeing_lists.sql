-- Records without a key that two lists hold, both complete for a key the record names, with
-- different numbers of copies: one of them has lost or doubled some. The views show the copies of
-- the list they believe first. Re-read both: run the pipeline after moving the table folder away.
--
-- severity: error
WITH records AS (
  SELECT 'internal_transactions' AS dataset, _list, tx_hash, from_address, to_address,
    NULL AS token_address, NULL AS token_id, NULL AS kind, amount_text
  FROM known.internal_transactions WHERE _status_rank = 1
  UNION ALL
  SELECT 'token_transfers', _list, tx_hash, from_address, to_address,
    token_address, token_id, token_standard, amount_text
  FROM known.token_transfers WHERE _status_rank = 1
  UNION ALL
  SELECT 'cross_chain_transfers', _list, zone_tx_hash, source_address, target_address,
    token_address, token_id, cross_type || coalesce(main_tx_hash, ''), amount_text
  FROM known.cross_chain_transfers WHERE _status_rank = 1
),
copies AS (
  SELECT *, count(*) AS copies
  FROM records
  WHERE tx_hash IS NOT NULL
  GROUP BY ALL
),
differing AS (
  SELECT dataset, tx_hash, list(_list ORDER BY _list) AS lists, list(copies ORDER BY _list) AS held
  FROM copies
  GROUP BY dataset, tx_hash, from_address, to_address, token_address, token_id, kind, amount_text
  HAVING min(copies) < max(copies)
)
SELECT
  count(*) || CASE count(*) WHEN 1 THEN ' record of ' ELSE ' records of ' END || dataset
  || CASE count(*) WHEN 1 THEN ' stands' ELSE ' stand' END
  || ' in different numbers of copies in ' || len(differing.lists)
  || ' complete lists, of ' || min(tx_hash) || ': '
  || list_aggregate(arg_min(held, tx_hash), 'string_agg', ' and ') AS finding,
  dataset,
  (
    SELECT list(endpoint || '?' || variant ORDER BY l.list)
    FROM lake.lists AS l WHERE list_contains(differing.lists, l.list)
  ) AS lists,
  count(*) AS records, list_sort(min(tx_hash, 3)) AS tx_hashes,
  arg_min(held, tx_hash) AS copies_of_first
FROM differing
GROUP BY dataset, differing.lists
ORDER BY dataset, lists;
