-- Activity of an address in a day (UTC): one row per exported address, chain and day on which its
-- ledger has a leg.
--
-- example: SELECT day, transactions, fees_text FROM daily_address_summary WHERE address =
--   lower('0x...') ORDER BY day
-- column: day | Day [UTC]
-- column: address | The exported address, in lower case
-- column: label | Label of the address | labels
-- column: followed | true where the address was asked for by name
-- column: axis | primary or zone
-- column: legs | Legs of its ledger
-- column: transactions | Transactions that it sent
-- column: failed | Of these, how many are known to have failed
-- column: fees_text | Exact sum of the fees that it paid [native token]
-- column: fees_double | As a rounded double [native token]
-- column: received_text | Exact sum of native value that came in, by transactions and calls
--   [native token]
-- column: received_double | As a rounded double [native token]
-- column: sent_text | Exact sum of native value that went out, without fees [native token]
-- column: sent_double | As a rounded double [native token]
-- column: token_moves | Legs of tokens
-- column: tokens | Different tokens among them
-- column: crossings | Legs of cross-chain transfers
-- column: counterparties | Different addresses on the other side; several in one field count as one
-- column: unknown_legs | Legs that may or may not have moved an amount
-- column: first_block | Height of the first leg
-- column: last_block | Height of the last leg
-- column: coverage_status | The worst status of a leg among them | address_activity
-- column: reconciled | complete, and nodes agree with the ledger of the address | reconciliations
CREATE VIEW daily_address_summary AS
WITH sums AS (
  SELECT
    block_date AS day, address, axis,
    count(*) AS legs,
    count(*) FILTER (leg IN ('fee', 'zone')) AS transactions,
    count(*) FILTER (leg IN ('fee', 'zone') AND tx_status = 'fail') AS failed,
    exact_total(
      CASE leg WHEN 'fee' THEN -signed_amount END,
      CASE leg WHEN 'fee' THEN ltrim(signed_text, '-') END
    ) AS fees_text,
    -fsum(signed_double) FILTER (leg = 'fee') AS fees_double,
    exact_total(
      CASE WHEN leg IN ('value', 'internal') AND direction = 'in' THEN signed_amount END,
      CASE WHEN leg IN ('value', 'internal') AND direction = 'in' THEN signed_text END
    ) AS received_text,
    fsum(signed_double) FILTER (leg IN ('value', 'internal') AND direction = 'in')
      AS received_double,
    exact_total(
      CASE WHEN leg IN ('value', 'internal') AND direction = 'out' THEN -signed_amount END,
      CASE WHEN leg IN ('value', 'internal') AND direction = 'out'
        THEN ltrim(signed_text, '-') END
    ) AS sent_text,
    -fsum(signed_double) FILTER (leg IN ('value', 'internal') AND direction = 'out')
      AS sent_double,
    count(*) FILTER (leg = 'token') AS token_moves,
    count(DISTINCT token_address) FILTER (leg = 'token') AS tokens,
    count(*) FILTER (leg = 'cross_chain') AS crossings,
    count(DISTINCT counterparty) AS counterparties,
    count(*) - count(signed_text) AS unknown_legs,
    min(block_number) AS first_block,
    max(block_number) AS last_block,
    status_of(max(status_rank_of(coverage_status))) AS coverage_status,
    bool_and(is_reconciled(
      coverage_status, block_number, block_number, proof.from_block, proof.to_block
    )) AS reconciled
  FROM (
    SELECT * FROM curated.address_activity
    UNION ALL
    SELECT * FROM curated.zone_address_activity
  ) AS ledger
  LEFT JOIN known.reconciled AS proof
    ON known.has_names() AND axis = 'primary' AND proof.owner = ledger.address
    AND proof.asset = coalesce(ledger.token_address, token_standard, '')
    AND proof.asset_id = id_in_proof(token_standard, token_id)
  GROUP BY block_date, address, axis
)
SELECT
  day, sums.address, own.label,
  sums.address IN (SELECT address FROM known.followed) AS followed,
  axis, legs, transactions, failed,
  coalesce(fees_text, '0') AS fees_text, coalesce(fees_double, 0) AS fees_double,
  coalesce(received_text, '0') AS received_text, coalesce(received_double, 0) AS received_double,
  coalesce(sent_text, '0') AS sent_text, coalesce(sent_double, 0) AS sent_double,
  token_moves, tokens, crossings, counterparties, unknown_legs, first_block, last_block,
  coverage_status, reconciled
FROM sums
LEFT JOIN lake.labels AS own ON known.has_names() AND own.address = sums.address;
