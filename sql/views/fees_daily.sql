-- Fees of each sender in a day (UTC) on the primary chain: one row per sender and day.
-- Failed transactions pay as well. Only of followed senders are all transactions here, in the
-- blocks that complete_ranges names; filter on `followed` before adding days up.
--
-- example: SELECT day, sum(fees_double) FROM fees_daily GROUP BY day ORDER BY day
-- column: day | Day [UTC]
-- column: from_address | Sender; several addresses are separated by commas
-- column: label | Label of the sender | labels
-- column: followed | true where the sender was asked for by name
-- column: transactions | Transactions
-- column: failed | Of these, how many are known to have failed
-- column: gas_used | Gas that they used; NULL where no list states that of one of them [gas]
-- column: fees_text | Exact sum of their fees; NULL where no list states that of one of them
--   [native token]
-- column: fees_double | As a rounded double, for charts and sorting [native token]
-- column: coverage_status | The worst status of a transaction among them: complete says that those
--   here are well known, not that no list would hold more | transactions
-- column: reconciled | complete, and nodes agree with the ledger of the sender | reconciliations
CREATE VIEW fees_daily AS
WITH sums AS (
  SELECT
    block_date AS day, from_address,
    count(*) AS transactions,
    count(*) FILTER (tx_status = 'fail') AS failed,
    CASE WHEN count(gas_used) = count(*) THEN CAST(sum(gas_used) AS DECIMAL(20, 0)) END AS gas_used,
    CASE WHEN count(tx_fee_text) = count(*) THEN exact_total(tx_fee, tx_fee_text) END AS fees_text,
    CASE WHEN count(tx_fee_text) = count(*) THEN fsum(TRY_CAST(tx_fee_text AS DOUBLE)) END
      AS fees_double,
    min(block_number) AS first_block,
    max(block_number) AS last_block,
    status_of(max(status_rank_of(coverage_status))) AS coverage_status
  FROM curated.transactions
  WHERE tx_status IS DISTINCT FROM 'pending'
  GROUP BY block_date, from_address
)
SELECT
  day, from_address, own.label,
  from_address IN (SELECT address FROM known.followed) AS followed,
  transactions, failed, gas_used, fees_text, fees_double, coverage_status,
  is_reconciled(
    coverage_status, first_block, last_block, proof.from_block, proof.to_block
  ) AS reconciled
FROM sums
LEFT JOIN lake.labels AS own ON known.has_names() AND own.address = from_address
LEFT JOIN known.reconciled AS proof
  ON known.has_names() AND proof.owner = from_address AND proof.asset = '';
