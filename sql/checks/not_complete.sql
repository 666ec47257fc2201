-- Intervals that were read, but not to the end, or not without contradiction: rows may be missing
-- there. The reason says why. Run the pipeline again; what the service itself cuts off stays, and
-- another endpoint or a filter may reach it.
--
-- severity: error
SELECT status, reason, endpoint, variant, address, from_block, to_block, blocks
FROM lake.coverage
WHERE status NOT IN ('complete', 'provisional')
ORDER BY ALL;
