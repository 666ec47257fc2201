-- Transfers between the primary chain and the zone chain, with labels: one row per record, every
-- copy of it. One zone transaction may leave several records, and lists do not number them, so two
-- rows that are equal in every column are two transfers. Records with status fail moved nothing.
--
-- example: SELECT block_date, direction, count(*) FROM cross_chain_transfers GROUP BY ALL
-- columns of: cross_chain_transfers
-- column: source_label | Label of who really sent | labels
-- column: target_label | Label of who really receives | labels
-- column: symbol | Symbol of the token from the tokens CSV | tokens
CREATE VIEW cross_chain_transfers AS
SELECT
  t.*, source.label AS source_label, target.label AS target_label, token.symbol
FROM curated.cross_chain_transfers AS t
LEFT JOIN lake.labels AS source ON known.has_names() AND source.address = t.source_address
LEFT JOIN lake.labels AS target ON known.has_names() AND target.address = t.target_address
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = t.token_address;
