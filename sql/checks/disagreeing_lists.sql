-- Records without a key that two lists hold, both complete for a key the record names, with
-- different numbers of copies: one of them has lost or doubled some. The views show the copies of
-- the list they believe first. Re-read both: run the pipeline after moving the table folder away.
--
-- severity: error
WITH findings AS (
  SELECT dataset, lists, CAST(sum(records) AS BIGINT) AS records, min(subject) AS first_hash,
    list_slice(list_sort(list_distinct(flatten(list(examples)))), 1, 3) AS tx_hashes,
    min({tx_hash: subject, height: height, copies: copies}).copies::BIGINT[] AS copies_of_first
  FROM evidence
  GROUP BY dataset, lists
)
SELECT
  records || CASE records WHEN 1 THEN ' record of ' ELSE ' records of ' END || dataset
  || CASE records WHEN 1 THEN ' stands' ELSE ' stand' END
  || ' in different numbers of copies in ' || len(lists)
  || ' complete lists, of ' || first_hash || ': '
  || list_aggregate(copies_of_first, 'string_agg', ' and ') AS finding,
  dataset, lists, records, tx_hashes, copies_of_first
FROM findings
ORDER BY dataset, lists;
