-- The height of the primary chain up to which everything that was asked for of an address is
-- complete, from first_block on: its transactions, internal transactions and token transfers.
-- Without first_block it counts from the lowest block that was asked for of the address. NULL where
-- the address was not asked for by name, and where it is not complete at that first block. Blocks
-- below first_block may be unknown: complete_ranges has both ends of each range.
--
-- example: SELECT complete_until('0x...'), complete_until('0x...', 20000)
CREATE MACRO complete_until(wanted, first_block := NULL) AS (
  SELECT max(to_block) FROM complete_ranges(wanted)
  WHERE axis = 'primary' AND coalesce(first_block, asked_from) BETWEEN from_block AND to_block
);
