-- Tokens that went from one address to another in a day: one row per token, pair of addresses and
-- day (UTC). Sums are exact texts; add several rows with exact_total(amount, amount_text).
--
-- example: SELECT from_address, to_address, amount_text FROM token_flows WHERE symbol = 'HAY'
--   ORDER BY amount_double DESC LIMIT 10
-- column: day | Day [UTC]
-- column: token_address | Contract of the token
-- column: symbol | Symbol of the token from the tokens CSV | tokens
-- column: token_standard | Protocol type of the token
-- column: from_address | Sender; several addresses are separated by commas
-- column: from_label | Label of the sender | labels
-- column: to_address | Recipient; several are separated by commas
-- column: to_label | Label of the recipient | labels
-- column: transfers | Transfers, every copy of equal ones
-- column: amount_text | Exact sum of their amounts; NULL where none has an amount [token]
-- column: amount_double | Sum of the amounts as doubles, rounded: for charts and sorting, at a
--   fraction of the cost of the text [token]
-- column: token_ids | Different ids among them, for NFT standards
-- column: first_block | Height of the first of them
-- column: last_block | Height of the last of them
-- column: coverage_status | The worst status of a transfer among them: complete says that those
--   here are well known, not that no other list would hold more | token_transfers
-- column: reconciled | complete, and nodes agree with the ledger of a party | reconciliations
CREATE VIEW token_flows AS
SELECT
  day, sums.token_address, token.symbol, token_standard, from_address, sender.label AS from_label,
  to_address, recipient.label AS to_label, transfers, amount_text, amount_double, token_ids,
  first_block, last_block, coverage_status,
  is_reconciled(
    coverage_status, first_block, last_block, sender_proof.from_block, sender_proof.to_block
  ) OR is_reconciled(
    coverage_status, first_block, last_block, recipient_proof.from_block, recipient_proof.to_block
  ) AS reconciled
FROM (
  SELECT
    block_date AS day,
    token_address, token_standard, from_address, to_address,
    count(*) AS transfers,
    exact_total(amount, amount_text) AS amount_text,
    fsum(amount_double) AS amount_double,
    count(DISTINCT token_id) AS token_ids,
    min(block_number) AS first_block,
    max(block_number) AS last_block,
    status_of(max(status_rank_of(coverage_status))) AS coverage_status
  FROM curated.token_transfers
  WHERE tx_status IS DISTINCT FROM 'fail'
  GROUP BY ALL
) AS sums
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = sums.token_address
LEFT JOIN lake.labels AS sender ON known.has_names() AND sender.address = from_address
LEFT JOIN lake.labels AS recipient ON known.has_names() AND recipient.address = to_address
LEFT JOIN known.reconciled AS sender_proof
  ON known.has_names() AND sender_proof.owner = sums.from_address
  AND sender_proof.asset = sums.token_address
  AND sender_proof.asset_id = ''
LEFT JOIN known.reconciled AS recipient_proof
  ON known.has_names() AND recipient_proof.owner = sums.to_address
  AND recipient_proof.asset = sums.token_address
  AND recipient_proof.asset_id = '';
