-- Blocks that declare another number of transactions or internal transactions than was landed of
-- them, though all of the block was exported completely: either the service contradicts itself, or
-- records are missing. Ask again for these blocks.
--
-- severity: error
SELECT axis, block_number, block_hash,
  declared_transactions, landed_transactions, declared_internal, landed_internal
FROM blocks_reconciled
WHERE NOT agrees
ORDER BY ALL;
