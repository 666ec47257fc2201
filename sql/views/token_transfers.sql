-- Token transfers of the primary chain with labels, and with the names of tokens from CSV: one row
-- per transfer, every copy of it. Two rows that are equal in every column are two transfers;
-- counting DISTINCT rows loses some. curated.token_transfers has the same rows as records have
-- them.
--
-- The service states amounts in whole tokens, or, for some tokens, in the smallest unit. The column
-- `amounts` of the tokens CSV says which; whole_text and raw_text are exact in both cases.
--
-- example: SELECT block_time, from_address, to_address, amount_text FROM token_transfers WHERE
--   token_address = lower('0x...')
-- columns of: token_transfers
-- column: symbol | Symbol of the token from the tokens CSV, else the one of the record, which
--   the makers of the token chose | tokens
-- column: decimals | Decimal places of the token; NULL where the tokens CSV has none | tokens
-- column: whole_text | Exact amount in whole tokens; NULL without decimals [token]
-- column: raw_text | Exact amount in the smallest unit; NULL without decimals [smallest unit]
-- column: from_label | Label of the sender | labels
-- column: to_label | Label of the recipient | labels
-- column: token_label | Label of the token | labels
-- column: reconciled | complete, and nodes agree with the ledger of a party | reconciliations
CREATE VIEW token_transfers AS
SELECT
  t.* REPLACE (coalesce(token.symbol, t.symbol) AS symbol),
  token.decimals,
  moved_point(t.amount_text, CASE token.amounts WHEN 'raw' THEN -token.decimals
    WHEN 'whole' THEN CASE WHEN token.decimals IS NOT NULL THEN 0 END END) AS whole_text,
  raw_amount(t.amount_text, token.decimals, token.amounts) AS raw_text,
  sender.label AS from_label, recipient.label AS to_label, own.label AS token_label,
  is_reconciled(
    t.coverage_status, t.block_number, t.block_number,
    sender_proof.from_block, sender_proof.to_block
  ) OR is_reconciled(
    t.coverage_status, t.block_number, t.block_number,
    recipient_proof.from_block, recipient_proof.to_block
  ) AS reconciled
FROM curated.token_transfers AS t
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = t.token_address
LEFT JOIN lake.labels AS sender ON known.has_names() AND sender.address = t.from_address
LEFT JOIN lake.labels AS recipient ON known.has_names() AND recipient.address = t.to_address
LEFT JOIN lake.labels AS own ON known.has_names() AND own.address = t.token_address
LEFT JOIN known.reconciled AS sender_proof
  ON known.has_names() AND sender_proof.owner = t.from_address
  AND sender_proof.asset = t.token_address
  AND sender_proof.asset_id = id_in_proof(t.token_standard, t.token_id)
LEFT JOIN known.reconciled AS recipient_proof
  ON known.has_names() AND recipient_proof.owner = t.to_address
  AND recipient_proof.asset = t.token_address
  AND recipient_proof.asset_id = id_in_proof(t.token_standard, t.token_id);
