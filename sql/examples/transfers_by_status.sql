-- How many token transfers belong to transactions of each status?
--
-- Transfers are events, which only successful transactions leave. Where the status is NULL, no list
-- that tells it was asked for the transaction.
--
-- column: token_standard | Protocol type of the token
-- column: tx_status | success, fail or pending; NULL where unknown
-- column: transfers | Transfers
-- column: transactions | Transactions
SELECT
  token_standard, tx_status,
  count(*) AS transfers,
  count(DISTINCT tx_hash) AS transactions
FROM token_transfers
GROUP BY ALL
ORDER BY token_standard, transfers DESC, tx_status;
