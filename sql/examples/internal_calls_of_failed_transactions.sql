-- Which internal calls belong to transactions that failed?
--
-- They moved nothing, whatever their amount says.
--
-- column: block_number | Height of the block
-- column: tx_hash | Hash of the failed transaction
-- column: method_id | Method that the transaction called
-- column: operation | Kind of the call
-- column: from_address | Origin of the call
-- column: to_address | Destination of the call
-- column: amount_text | Amount that it would have moved [native token]
-- column: tx_status | Status of the call
SELECT
  i.block_number, i.tx_hash, t.method_id, i.operation, i.from_address, i.to_address, i.amount_text,
  i.tx_status
FROM internal_transactions AS i
JOIN transactions AS t ON t.block_number = i.block_number AND t.tx_hash = i.tx_hash
WHERE t.tx_status = 'fail'
ORDER BY ALL;
