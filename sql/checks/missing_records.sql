-- Records that one list holds and another one lacks, though both are complete for a key that the
-- record names: its sender, its recipient, its token, its hash, or all of its block. The list of a
-- token's transfers, for instance, must hold every transfer of it that an address or a block shows.
-- Either records were lost, or the service contradicts itself. Read the lists that lack them again
-- with windrow refetch; what stays then is the service's own. Records that name several addresses
-- in one field are looked for by their other keys alone.
--
-- severity: error
WITH lacking AS (
  SELECT axis, dataset, endpoint, variant, key, CAST(sum(records) AS BIGINT) AS missing,
    min(height) AS from_block, max(height) AS to_block,
    list_slice(list_sort(list_distinct(flatten(list(examples)))), 1, 3) AS tx_hashes,
    list_distinct(flatten(list(lists))) AS holders
  FROM evidence
  GROUP BY axis, dataset, endpoint, variant, key
),
-- The lists that hold the records, in their order of precedence.
findings AS (
  SELECT f.axis, f.dataset, f.endpoint, f.variant, f.key, f.missing, f.from_block, f.to_block,
    f.tx_hashes, list(f.holder ORDER BY l.list, f.holder) AS held_by
  FROM (SELECT *, unnest(holders) AS holder FROM lacking) AS f
  LEFT JOIN lake.lists AS l
    ON l.dataset = f.dataset
    AND f.holder = l.endpoint || CASE l.variant WHEN '' THEN '' ELSE '?' || l.variant END
  GROUP BY ALL
)
SELECT
  'The list ' || endpoint || CASE variant WHEN '' THEN '' ELSE '?' || variant END
  || CASE key WHEN '' THEN '' ELSE ' of ' || key END
  || ' lacks ' || missing || CASE missing WHEN 1 THEN ' record' ELSE ' records' END
  || ' of ' || dataset
  || CASE WHEN from_block = to_block THEN ' in block ' || from_block
    ELSE ' in blocks ' || from_block || ' to ' || to_block END
  || ' that other complete lists hold' AS finding,
  *
FROM findings
ORDER BY dataset, endpoint, variant, key;
