-- The height up to which these datasets are complete for an address: the lowest one that they reach
-- without a gap, each from the lowest height it covers. Of an address that was never asked for, it
-- is what whole blocks were exported. NULL where one of them is not complete at its lowest height,
-- or begins above what another reaches. Used by complete_until and complete_until_zone.
CREATE MACRO complete_reach(wanted, wanted_datasets) AS (
  WITH known AS (
    SELECT *, count(*) FILTER (key <> '') OVER () AS asked
    FROM lake.reach
    WHERE ((key_kind = 'address' AND key = lower(wanted)) OR key_kind = 'all')
      AND list_contains(wanted_datasets, dataset)
  ),
  entries AS (
    SELECT
      dataset, scope, side, from_block, to_block,
      min(from_block) OVER set_of_records AS lowest,
      -- Blocks below this entry: without a gap it begins right after them.
      coalesce(sum(blocks) OVER below, 0) AS blocks_below,
      count(*) FILTER (status <> 'complete') OVER up_to_here AS not_complete
    FROM known
    WHERE key <> '' OR asked = 0
    WINDOW
      set_of_records AS (PARTITION BY dataset, scope, side),
      up_to_here AS (
        PARTITION BY dataset, scope, side ORDER BY from_block ROWS UNBOUNDED PRECEDING
      ),
      below AS (
        PARTITION BY dataset, scope, side ORDER BY from_block
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      )
  ),
  sets AS (
    SELECT
      min(lowest) AS lowest,
      max(to_block) FILTER (not_complete = 0 AND from_block = lowest + blocks_below) AS reached
    FROM entries
    GROUP BY dataset, scope, side
  )
  SELECT CASE WHEN count(*) = count(reached) AND max(lowest) <= min(reached) THEN min(reached) END
  FROM sets
);
