-- Internal transactions of the primary chain with the labels of both parties: one row per internal
-- call or creation, every copy of it. Two rows that are equal in every column are two calls;
-- counting DISTINCT rows loses some. curated.internal_transactions has the same rows without
-- labels.
--
-- example: SELECT operation, count(*), exact_sum(amount_text) FROM internal_transactions WHERE
--   succeeded GROUP BY operation
-- columns of: internal_transactions
-- column: from_label | Label of the origin | labels
-- column: to_label | Label of the destination | labels
-- column: reconciled | complete, and nodes agree with the ledger of a party | reconciliations
CREATE VIEW internal_transactions AS
SELECT t.*, sender.label AS from_label, recipient.label AS to_label,
  is_reconciled(
    t.coverage_status, t.block_number, t.block_number,
    sender_proof.from_block, sender_proof.to_block
  ) OR is_reconciled(
    t.coverage_status, t.block_number, t.block_number,
    recipient_proof.from_block, recipient_proof.to_block
  ) AS reconciled
FROM curated.internal_transactions AS t
LEFT JOIN lake.labels AS sender ON known.has_names() AND sender.address = t.from_address
LEFT JOIN lake.labels AS recipient ON known.has_names() AND recipient.address = t.to_address
LEFT JOIN known.reconciled AS sender_proof
  ON known.has_names() AND sender_proof.owner = t.from_address AND sender_proof.asset = ''
LEFT JOIN known.reconciled AS recipient_proof
  ON known.has_names() AND recipient_proof.owner = t.to_address AND recipient_proof.asset = '';
