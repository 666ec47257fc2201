-- Contracts that records of the primary chain name: one row per address that a record calls a
-- contract, that moved as a token, or that an internal transaction created, unless it failed.
-- Addresses that share a field with others are left out. A contract that only sent transactions, or
-- only sent or received tokens, has a row without counts.
--
-- example: SELECT address, symbol, transactions_to, token_transfers FROM contracts_seen ORDER BY
--   transactions_to DESC LIMIT 10
-- column: address | The contract, in lower case
-- column: label | Label of the contract | labels
-- column: symbol | Symbol from the tokens CSV, else one that records have
-- column: token_standards | Protocol types of its transfers; NULL where it did not move as a token
-- column: transactions_to | Transactions to it
-- column: calls_to | Internal transactions to it, creations of it included
-- column: calls_from | Internal transactions from it
-- column: token_transfers | Transfers of it as a token
-- column: methods | Different methods of transactions to it
-- column: created_in | Hash of a transaction that created it, where an internal transaction says so
-- column: created_block | Height of the first block in which an internal transaction created it;
--   records before it may name the address, too
-- column: first_block | Height of the first of these records
-- column: first_date | Day of the first of these records [UTC]
-- column: last_block | Height of the last of these records
-- column: last_date | Day of the last of these records [UTC]
CREATE VIEW contracts_seen AS
WITH sightings AS (
  SELECT to_address AS address, 'transaction' AS seen_in, method_id,
    NULL AS symbol, NULL AS token_standard, NULL AS created_in, block_number, block_date
  FROM curated.transactions
  WHERE to_is_contract AND NOT contains(to_address, ',')
  UNION ALL
  SELECT to_address, 'call to', NULL, NULL, NULL,
    CASE WHEN starts_with(lower(operation), 'create') AND succeeded THEN tx_hash END,
    block_number, block_date
  FROM curated.internal_transactions
  WHERE (
      to_is_contract
      -- A creation that failed leaves no contract.
      OR (starts_with(lower(operation), 'create') AND succeeded IS DISTINCT FROM false)
    )
    AND NOT contains(to_address, ',')
  UNION ALL
  SELECT from_address, 'call from', NULL, NULL, NULL, NULL, block_number, block_date
  FROM curated.internal_transactions
  WHERE from_is_contract AND NOT contains(from_address, ',')
  UNION ALL
  SELECT from_address, 'party', NULL, NULL, NULL, NULL, block_number, block_date
  FROM curated.transactions
  WHERE from_is_contract AND NOT contains(from_address, ',')
  UNION ALL
  SELECT from_address, 'party', NULL, NULL, NULL, NULL, block_number, block_date
  FROM curated.token_transfers
  WHERE from_is_contract AND NOT contains(from_address, ',')
  UNION ALL
  SELECT to_address, 'party', NULL, NULL, NULL, NULL, block_number, block_date
  FROM curated.token_transfers
  WHERE to_is_contract AND NOT contains(to_address, ',')
  UNION ALL
  SELECT token_address, 'token', NULL, symbol, token_standard, NULL, block_number, block_date
  FROM curated.token_transfers
  WHERE token_address IS NOT NULL
),
sums AS (
  SELECT
    address,
    max(symbol) AS symbol,
    list_sort(list(DISTINCT token_standard) FILTER (token_standard IS NOT NULL))
      AS token_standards,
    count(*) FILTER (seen_in = 'transaction') AS transactions_to,
    count(*) FILTER (seen_in = 'call to') AS calls_to,
    count(*) FILTER (seen_in = 'call from') AS calls_from,
    count(*) FILTER (seen_in = 'token') AS token_transfers,
    count(DISTINCT method_id) AS methods,
    min(created_in) AS created_in,
    min(block_number) FILTER (created_in IS NOT NULL) AS created_block,
    min(block_number) AS first_block,
    min(block_date) AS first_date,
    max(block_number) AS last_block,
    max(block_date) AS last_date
  FROM sightings
  GROUP BY address
)
SELECT
  sums.address, own.label, coalesce(token.symbol, sums.symbol) AS symbol, token_standards,
  transactions_to, calls_to, calls_from, token_transfers, methods, created_in,
  created_block, first_block, first_date, last_block, last_date
FROM sums
LEFT JOIN lake.labels AS own ON known.has_names() AND own.address = sums.address
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = sums.address;
