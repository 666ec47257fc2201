-- Intervals that were read, but not to the end, or not without contradiction, and that no other
-- list of the same records reaches: rows may be missing there. The reason says why. Run the
-- pipeline again; what the service itself cuts off stays, and another endpoint may reach it. Of
-- rankings and the like, which are read anew each time, only the newest reading counts.
--
-- severity: error
WITH known AS (
  SELECT *
  FROM lake.reach LEFT JOIN lake.lists USING (dataset, endpoint, variant)
  QUALIFY list_kind IS DISTINCT FROM 'snapshot'
    OR to_block = max(to_block) OVER (PARTITION BY dataset, endpoint, variant)
)
SELECT DISTINCT
  'The ' || dataset || CASE key WHEN '' THEN '' ELSE ' of ' || key END
  || CASE WHEN from_block = to_block THEN ' in block ' || from_block
    ELSE ' in blocks ' || from_block || ' to ' || to_block END
  || CASE status
    WHEN 'failed' THEN ' could not be read'
    ELSE ' are ' || replace(status, '_', ' ')
  END
  || CASE coalesce(reason, '') WHEN '' THEN '' ELSE ': ' || reason END AS finding,
  status, reason, dataset, endpoint, variant, key, from_block, to_block, blocks
FROM (
  SELECT status, reason, dataset, endpoint, variant, key, from_block, to_block, blocks FROM known
  UNION ALL
  SELECT status, reason, dataset, endpoint, variant, key, from_block, to_block, blocks
  FROM lake.coverage WHERE key_kind = 'transaction'
)
WHERE status NOT IN ('complete', 'provisional')
ORDER BY status, reason, dataset, endpoint, variant, key, from_block;
