-- Which values of the pending state differ from those that settled at the same height?
--
-- Transactions may join a block after its last reading. Shorter times between readings show fewer
-- differences.
--
-- column: what | block, balance, nonce, receipt or call
-- column: block_number | Height that was pending
-- column: subject | Address, transaction or call; NULL for the block
-- column: pending_value | Value of the last reading as pending
-- column: settled_value | Settled value of this height
SELECT what, block_number, subject, pending_value, settled_value
FROM pending_vs_settled
WHERE NOT agrees
ORDER BY block_number, what, subject;
