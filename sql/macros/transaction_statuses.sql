-- Status of every transaction of the primary chain that any reading knows, as in the view
-- transactions: a transaction is pending before it is anything else, so pending gives way.
CREATE MACRO transaction_statuses() AS TABLE
SELECT tx_hash,
  arg_min(
    tx_status,
    precedence(_status_rank, _endpoint_rank, _fetched_at)
    + CASE tx_status WHEN 'pending' THEN 1000000000000000000 ELSE 0 END
  ) AS tx_status
FROM known.transactions
WHERE tx_status IS NOT NULL AND tx_hash IS NOT NULL
GROUP BY tx_hash;
