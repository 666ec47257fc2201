-- Amounts of each token that moved in a day (UTC): one row per token and day. Failed transfers are
-- left out. token_flows has the same by pairs of addresses.
--
-- example: SELECT day, symbol, transfers, amount_double FROM token_flows_daily ORDER BY day
-- column: day | Day [UTC]
-- column: token_address | Contract of the token
-- column: symbol | Symbol of the token from the tokens CSV | tokens
-- column: token_standard | Protocol type of the token
-- column: transfers | Transfers, every copy of equal ones
-- column: amount_text | Exact sum of their amounts; NULL where none has an amount [token]
-- column: amount_double | Sum of the amounts as doubles, rounded: for charts and sorting, at a
--   fraction of the cost of the text [token]
-- column: senders | Different senders; several in one field count as one
-- column: recipients | Different recipients; several in one field count as one
-- column: token_ids | Different ids, for NFT standards
-- column: coverage_status | The worst status of a transfer among them: complete says that those
--   here are well known, not that no other list would hold more | token_transfers
CREATE VIEW token_flows_daily AS
SELECT
  day, sums.token_address, symbol, token_standard, transfers, amount_text, amount_double, senders,
  recipients, token_ids, coverage_status
FROM (
  SELECT
    block_date AS day,
    token_address, token_standard,
    count(*) AS transfers,
    exact_total(amount, amount_text) AS amount_text,
    fsum(amount_double) AS amount_double,
    count(DISTINCT from_address) AS senders,
    count(DISTINCT to_address) AS recipients,
    count(DISTINCT token_id) AS token_ids,
    status_of(max(status_rank_of(coverage_status))) AS coverage_status
  FROM curated.token_transfers
  WHERE tx_status IS DISTINCT FROM 'fail'
  GROUP BY ALL
) AS sums
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = sums.token_address;
