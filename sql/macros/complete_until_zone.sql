-- The height of the zone chain up to which everything that was asked for of an address is complete,
-- from first_block on: its zone transactions and cross-chain transfers. Otherwise like
-- complete_until. Heights of the two chains are unrelated; complete_until is about the primary one.
--
-- example: SELECT complete_until_zone('0x...')
CREATE MACRO complete_until_zone(wanted, first_block := NULL) AS (
  SELECT max(to_block) FROM complete_ranges(wanted)
  WHERE axis = 'zone' AND coalesce(first_block, asked_from) BETWEEN from_block AND to_block
);
