-- Blocks between the lowest and the highest covered block of an address that were never exported
-- from this endpoint and variant: sums over them are too small. Run a pipeline whose blocks span
-- the gap; it fetches only what is missing. Ranges that were left out on purpose show up here too.
--
-- severity: note
SELECT endpoint, variant, address,
  to_block + 1 AS from_block,
  next_from_block - 1 AS to_block,
  next_from_block - to_block - 1 AS blocks
FROM (
  SELECT *,
    lead(from_block) OVER (
      PARTITION BY endpoint, variant, address ORDER BY from_block
    ) AS next_from_block
  FROM lake.coverage
)
WHERE next_from_block > to_block + 1
ORDER BY ALL;
