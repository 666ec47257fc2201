-- The ranges of blocks in which everything that was asked for of an address is complete: one row
-- per chain and range, with the blocks that were asked for. There are no rows for an address that
-- no list was asked for by name, whatever blocks were exported. On a chain where the address itself
-- was not asked for, the ranges are those of the lists of whole blocks. Lists that hold the same
-- records stand in for each other. Addresses may be written in upper or lower case.
--
-- example: FROM complete_ranges('0x...')
CREATE MACRO complete_ranges(wanted) AS TABLE
SELECT axis, from_block, to_block, asked_from, asked_to
FROM known.complete_ranges
WHERE followed_address = lower(wanted)
ORDER BY axis, from_block;
