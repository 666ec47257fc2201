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
SELECT DISTINCT status, reason, dataset, endpoint, variant, key, from_block, to_block, blocks
FROM (
  SELECT status, reason, dataset, endpoint, variant, key, from_block, to_block, blocks FROM known
  UNION ALL
  SELECT status, reason, dataset, endpoint, variant, key, from_block, to_block, blocks
  FROM lake.coverage WHERE key_kind = 'transaction'
)
WHERE status NOT IN ('complete', 'provisional')
ORDER BY ALL;
