-- With whom an address exchanged a token, in both directions: one row per exported address, chain,
-- counterparty and token. Legs of the kinds value, internal, token and cross_chain.
--
-- example: SELECT counterparty, symbol, received_text, sent_text FROM counterparties WHERE address
--   = lower('0x...')
-- column: address | The exported address, in lower case
-- column: label | Label of the address | labels
-- column: followed | true where the address was asked for by name
-- column: axis | primary or zone
-- column: counterparty | The other side: several addresses are separated by commas; the address
--   itself where it sent to itself
-- column: counterparty_label | Label of the counterparty | labels
-- column: token_address | Contract of the token; NULL for the native token of the primary chain,
--   the zero address for the native token on the zone chain
-- column: symbol | Symbol from the tokens CSV, else one that records have
-- column: token_standard | Protocol type of the token; NULL for the native token
-- column: received_legs | Legs that came in
-- column: received_text | Exact sum of their known amounts: see unknown_legs [token]
-- column: received_double | As a rounded double, for charts and sorting [token]
-- column: sent_legs | Legs that went out
-- column: sent_text | Exact sum of their known amounts: see unknown_legs [token]
-- column: sent_double | As a rounded double, for charts and sorting [token]
-- column: unknown_legs | Legs that may or may not have moved an amount
-- column: first_date | Day of the first leg [UTC]
-- column: last_date | Day of the last leg [UTC]
-- column: last_block | Height of the last leg
-- column: coverage_status | The worst status of a leg among them | address_activity
-- column: reconciled | complete, and nodes agree with the ledger of the address | reconciliations
CREATE VIEW counterparties AS
WITH sums AS (
  SELECT
    address, axis, counterparty, token_address, token_standard,
    max(symbol) AS symbol,
    count(*) FILTER (direction = 'in') AS received_legs,
    exact_total(
      CASE direction WHEN 'in' THEN signed_amount END,
      CASE direction WHEN 'in' THEN signed_text END
    ) AS received_text,
    fsum(signed_double) FILTER (direction = 'in') AS received_double,
    count(*) FILTER (direction = 'out') AS sent_legs,
    exact_total(
      CASE direction WHEN 'out' THEN -signed_amount END,
      CASE direction WHEN 'out' THEN ltrim(signed_text, '-') END
    ) AS sent_text,
    -fsum(signed_double) FILTER (direction = 'out') AS sent_double,
    count(*) - count(signed_text) AS unknown_legs,
    min(block_date) AS first_date,
    max(block_date) AS last_date,
    min(block_number) AS first_block,
    max(block_number) AS last_block,
    status_of(max(status_rank_of(coverage_status))) AS coverage_status
  FROM (
    SELECT * FROM curated.address_activity
    UNION ALL
    SELECT * FROM curated.zone_address_activity
  )
  WHERE counterparty IS NOT NULL AND leg <> 'zone'
  GROUP BY address, axis, counterparty, token_address, token_standard
)
SELECT
  sums.address, own.label,
  sums.address IN (SELECT address FROM known.followed) AS followed,
  axis, counterparty, other.label AS counterparty_label,
  sums.token_address, coalesce(token.symbol, sums.symbol) AS symbol, token_standard,
  received_legs, coalesce(received_text, '0') AS received_text,
  coalesce(received_double, 0) AS received_double,
  sent_legs, coalesce(sent_text, '0') AS sent_text, coalesce(sent_double, 0) AS sent_double,
  unknown_legs, first_date, last_date, last_block, coverage_status,
  is_reconciled(
    coverage_status, first_block, last_block, proof.from_block, proof.to_block
  ) AS reconciled
FROM sums
LEFT JOIN lake.labels AS own ON known.has_names() AND own.address = sums.address
LEFT JOIN lake.labels AS other ON known.has_names() AND other.address = counterparty
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = sums.token_address
LEFT JOIN known.reconciled AS proof
  ON known.has_names() AND axis = 'primary' AND proof.owner = sums.address
  AND proof.asset = coalesce(sums.token_address, token_standard, '') AND proof.asset_id = '';
