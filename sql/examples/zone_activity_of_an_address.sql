-- What did one address do on the zone chain?
--
-- Replace the address. This one is the followed address with most legs there.
--
-- column: block_number | Height of the block on the zone chain
-- column: block_date | Day of the block [UTC]
-- column: tx_hash | Hash of the transaction on the zone chain
-- column: leg | zone or cross_chain
-- column: direction | out or in
-- column: counterparty | The other side; NULL for zone legs
-- column: amount_text | Amount, without sign; NULL where the record has none
-- column: succeeded | true for success, false for fail; NULL where unknown
SELECT
  block_number, block_date, tx_hash, leg, direction, counterparty, amount_text, succeeded
FROM address_activity
WHERE axis = 'zone' AND address = (
  SELECT arg_max(address, (legs, address))
  FROM (
    SELECT address, count(*) AS legs
    FROM address_activity
    WHERE followed AND axis = 'zone'
    GROUP BY address
  )
)
ORDER BY ALL;
