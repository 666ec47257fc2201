-- With which addresses did each exported address exchange most native value on the primary chain?
--
-- Value and internal legs together; rows whose sign is unknown (no status, or several parties) are
-- counted, and not summed. The ten largest counterparties of each address are shown; add a
-- condition on address to ask for one.
--
-- column: address | The exported address
-- column: counterparty | Address on the other side
-- column: received | What the address received [native token]
-- column: sent | What the address sent [native token]
-- column: moves | Rows that moved a known amount
-- column: unknown_moves | Rows that may or may not have moved an amount
-- column: place | 1 for the counterparty with the largest sum of both directions
SELECT
  address,
  counterparty,
  coalesce(sum(signed_amount) FILTER (signed_amount > 0), 0) AS received,
  coalesce(-sum(signed_amount) FILTER (signed_amount < 0), 0) AS sent,
  count(*) FILTER (signed_amount <> 0) AS moves,
  count(*) FILTER (signed_amount IS NULL) AS unknown_moves,
  row_number() OVER (PARTITION BY address ORDER BY received + sent DESC, counterparty) AS place
FROM address_activity
WHERE leg IN ('value', 'internal') AND counterparty IS NOT NULL
GROUP BY address, counterparty
QUALIFY place <= 10
ORDER BY address, place;
