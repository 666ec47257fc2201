-- From which block to which can each followed address be trusted, and what was asked for?
--
-- One row per address, chain and complete range. A followed address without a complete range on a
-- chain has a row with NULLs; an address that was not asked for by name has none.
--
-- column: address | The followed address
-- column: label | Its label
-- column: axis | primary or zone
-- column: from_block | First block of the range
-- column: to_block | Last block of the range
-- column: asked_from | First block that was asked for
-- column: asked_to | Last block that was asked for
SELECT address, label_of(address) AS label, axis, from_block, to_block, asked_from, asked_to
FROM (SELECT DISTINCT key AS address FROM coverage WHERE key_kind = 'address') AS followed
LEFT JOIN LATERAL (FROM complete_ranges(address)) ON true
ORDER BY address, axis, from_block;
