-- Normal transactions of the primary chain with the labels of both parties and the name of the
-- method: one row per block and transaction hash. Two rows of one hash mean that the chain was
-- reorganised between two readings. Failed transactions are among the rows: their amount has not
-- moved. curated.transactions has the same rows without labels, and costs less to count.
--
-- example: SELECT block_date, count(*) AS transactions, sum(tx_fee) AS fees FROM transactions
--   GROUP BY block_date ORDER BY block_date
-- columns of: transactions
-- column: from_label | Label of the sender | labels
-- column: to_label | Label of the recipient | labels
-- column: method_name | Name of the method called | methods
-- column: reconciled | complete, and nodes agree with the ledger of a party | reconciliations
CREATE VIEW transactions AS
SELECT
  t.*, sender.label AS from_label, recipient.label AS to_label, method.name AS method_name,
  is_reconciled(
    t.coverage_status, t.block_number, t.block_number,
    sender_proof.from_block, sender_proof.to_block
  ) OR is_reconciled(
    t.coverage_status, t.block_number, t.block_number,
    recipient_proof.from_block, recipient_proof.to_block
  ) AS reconciled
FROM curated.transactions AS t
LEFT JOIN lake.labels AS sender ON known.has_names() AND sender.address = t.from_address
LEFT JOIN lake.labels AS recipient ON known.has_names() AND recipient.address = t.to_address
LEFT JOIN lake.methods AS method ON known.has_names() AND method.method_id = t.method_id
LEFT JOIN known.reconciled AS sender_proof
  ON known.has_names() AND sender_proof.owner = t.from_address AND sender_proof.asset = ''
LEFT JOIN known.reconciled AS recipient_proof
  ON known.has_names() AND recipient_proof.owner = t.to_address AND recipient_proof.asset = '';
