-- Every cross-chain transfer with the transactions that it consists of on both chains, and with
-- labels: one row per record of cross_chain_transfers. A record with status fail moved nothing.
--
-- A leg without a transaction has a reason: the record names no transaction (`not named`), the
-- transaction was not requested (`not exported`), or it is absent from a complete export that must
-- hold it (`missing`), which the check unmatched_legs finds.
--
-- example: SELECT cross_type, median(latency_seconds) FROM cross_chain_journeys WHERE succeeded
--   GROUP BY cross_type
-- columns of: cross_chain_journeys
-- column: source_label | Label of who really sent | labels
-- column: target_label | Label of who really receives | labels
-- column: symbol | Symbol of the token from the tokens CSV | tokens
CREATE VIEW cross_chain_journeys AS
SELECT
  t.*, source.label AS source_label, target.label AS target_label, token.symbol
FROM curated.cross_chain_journeys AS t
LEFT JOIN lake.labels AS source ON known.has_names() AND source.address = t.source_address
LEFT JOIN lake.labels AS target ON known.has_names() AND target.address = t.target_address
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = t.token_address;
