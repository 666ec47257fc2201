-- Blocks between the lowest and the highest covered block of a key for which no list of these
-- records was requested: sums over them are too small. Run a pipeline whose blocks span the gap; it
-- fetches only the missing blocks. Ranges that were left out on purpose are listed too. Requests
-- for single blocks, for transactions or for the head have no gaps.
--
-- severity: note
SELECT DISTINCT
  'No pipeline requested the ' || dataset || CASE key WHEN '' THEN '' ELSE ' of ' || key END
  || CASE
    WHEN next_from_block = to_block + 2 THEN ' in block ' || (to_block + 1)
    ELSE ' in blocks ' || (to_block + 1) || ' to ' || (next_from_block - 1)
  END AS finding,
  dataset, scope, key,
  to_block + 1 AS from_block,
  next_from_block - 1 AS to_block,
  next_from_block - to_block - 1 AS blocks
FROM (
  SELECT r.*,
    lead(from_block) OVER of_records AS next_from_block,
    bool_or(l.list_kind IN ('ranged', 'positional')) OVER (
      PARTITION BY r.dataset, r.scope, r.key_kind, r.key, r.side
    ) AS spans_blocks
  FROM lake.reach AS r
  LEFT JOIN lake.lists AS l USING (dataset, endpoint, variant)
  WINDOW of_records AS (
    PARTITION BY r.dataset, r.scope, r.key_kind, r.key, r.side ORDER BY from_block
  )
)
WHERE next_from_block > to_block + 1 AND spans_blocks
ORDER BY dataset, scope, key, from_block, to_block;
