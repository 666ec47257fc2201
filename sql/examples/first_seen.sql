-- When was each followed address first seen, on either chain?
--
-- Its first leg in the exported blocks: it may be older where they do not begin with block 0.
--
-- column: address | The followed address
-- column: label | Its label
-- column: axis | primary or zone
-- column: first_block | Height of its first leg
-- column: first_date | Day of this block [UTC]
-- column: first_leg | A kind of this leg
SELECT
  address, label, axis,
  min(block_number) AS first_block,
  min(block_date) AS first_date,
  min_by(leg, (block_number, leg)) AS first_leg
FROM address_activity
WHERE followed
GROUP BY ALL
ORDER BY first_block, address, axis;
