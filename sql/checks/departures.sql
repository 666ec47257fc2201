-- Values that are not as the interface says, and that windrow shows or counts in another way: a
-- transaction that its list of internal transactions repeats as its first call, which the ledger
-- counts once; transfers of a token_721 that do not move one piece; and fees that are not
-- gas_used times gas_price, as on chains with further fees. docs/trust-model.md has the details.
--
-- severity: note
WITH departures AS (
  SELECT 'internal_transactions' AS dataset,
    'internal transactions repeat their transaction' AS departure,
    i.block_number, i.tx_hash
  FROM curated.internal_transactions AS i
  JOIN curated.transactions AS t
    ON t.block_number = i.block_number AND t.tx_hash = i.tx_hash
    AND t.from_address = i.from_address
    AND (t.amount = i.amount OR t.amount_text = i.amount_text)
    AND coalesce(t.to_address = i.to_address, true)
  WHERE i.from_is_contract IS DISTINCT FROM true
  UNION ALL
  SELECT 'token_transfers', 'transfers of a token_721 do not move one piece', block_number, tx_hash
  FROM curated.token_transfers
  WHERE token_standard = 'token_721' AND amount IS DISTINCT FROM 1
  UNION ALL
  SELECT 'transactions', 'fees are not gas_used times gas_price', block_number, tx_hash
  FROM curated.transactions
  WHERE abs(tx_fee::DOUBLE - gas_used::DOUBLE * gas_price::DOUBLE / 1e18) > 1e-9 * tx_fee::DOUBLE
)
SELECT
  count(*) || ' ' || departure || ', for example ' || min(tx_hash) AS finding,
  dataset, departure, count(*) AS records, min(block_number) AS lowest_block,
  max(block_number) AS highest_block
FROM departures
GROUP BY dataset, departure
ORDER BY dataset, departure;
