-- Which announced blocks did not become the block of the chain as announced?
--
-- column: block_number | Height of the block
-- column: payload_id | Payload
-- column: state | conflict, incomplete, orphaned or superseded
-- column: missing | Indexes that were not received
-- column: tx_count | Transactions received
-- column: chain_tx_count | Transactions of the block on the chain
SELECT block_number, payload_id, state, missing, tx_count, chain_tx_count
FROM preconf_payloads
WHERE state IN ('conflict', 'incomplete', 'orphaned', 'superseded')
ORDER BY block_number, payload_id;
