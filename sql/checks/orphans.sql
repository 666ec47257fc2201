-- Rows of the lake at heights that no coverage entry includes, for any address that they name.
-- Every commit of windrow holds rows together with their coverage, so another program has written
-- to the table or to its log. Move the table folder away and run the pipeline again.
--
-- severity: error
SELECT
  rows_found || CASE rows_found WHEN 1 THEN ' row of ' ELSE ' rows of ' END || dataset
  || ' from ' || endpoint || CASE variant WHEN '' THEN '' ELSE '?' || variant END
  || CASE rows_found WHEN 1 THEN ' has' ELSE ' have' END || ' no coverage entry, '
  || CASE WHEN lowest_block = highest_block THEN 'at height ' || lowest_block
    ELSE 'between the heights ' || lowest_block || ' and ' || highest_block END AS finding,
  *
FROM (
  SELECT dataset, endpoint, variant, CAST(sum(records) AS BIGINT) AS rows_found,
    min(height) AS lowest_block, max(height) AS highest_block,
    list_slice(list_sort(flatten(list(examples))), 1, 3) AS examples
  FROM evidence
  GROUP BY dataset, endpoint, variant
)
ORDER BY dataset, endpoint, variant;
