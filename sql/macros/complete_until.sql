-- The height up to which every list of the address is complete, beginning at the lowest height the
-- list covers; NULL when one of its lists is not complete there.
CREATE MACRO complete_until(of_address) AS (
  WITH mine AS (
    SELECT *, lag(to_block) OVER (PARTITION BY endpoint, variant ORDER BY from_block) AS before
    FROM lake.coverage
    WHERE address = lower(of_address)
  ),
  marked AS (
    SELECT *, sum(CASE WHEN status <> 'complete' OR before < from_block - 1 THEN 1 ELSE 0 END)
      OVER (PARTITION BY endpoint, variant ORDER BY from_block) AS breaks
    FROM mine
  ),
  reached AS (
    SELECT endpoint, variant, max(to_block) FILTER (breaks = 0) AS until
    FROM marked
    GROUP BY endpoint, variant
  )
  SELECT CASE WHEN count(*) = count(until) THEN min(until) END FROM reached
);
