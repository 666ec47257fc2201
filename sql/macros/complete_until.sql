-- The height up to which all that was exported of an address is complete: the lowest one that its
-- lists (endpoints and variants) reach without a gap, each from the lowest height it covers. NULL
-- where one of them is not complete at its lowest height, or begins above what another reaches.
CREATE MACRO complete_until(wanted) AS (
  WITH entries AS (
    SELECT
      endpoint, variant, from_block, to_block,
      min(from_block) OVER list AS lowest,
      -- Blocks of the list below this entry: without a gap it begins right after them.
      coalesce(sum(blocks) OVER below, 0) AS blocks_below,
      count(*) FILTER (status <> 'complete') OVER up_to_here AS not_complete
    FROM lake.coverage
    WHERE address = lower(wanted)
    WINDOW
      list AS (PARTITION BY endpoint, variant),
      up_to_here AS (PARTITION BY endpoint, variant ORDER BY from_block ROWS UNBOUNDED PRECEDING),
      below AS (PARTITION BY endpoint, variant ORDER BY from_block
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
  ),
  lists AS (
    SELECT
      min(lowest) AS lowest,
      max(to_block) FILTER (not_complete = 0 AND from_block = lowest + blocks_below) AS reached
    FROM entries
    GROUP BY endpoint, variant
  )
  SELECT CASE WHEN count(*) = count(reached) AND max(lowest) <= min(reached) THEN min(reached) END
  FROM lists
);
