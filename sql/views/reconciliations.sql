-- The newest comparison of each asset of an address with a node of the chain: opening balance and
-- movements of the ledger against the closing balance. lake.reconciliations has the earlier ones.
--
-- example: SELECT address, asset_kind, token_address, difference, cause FROM reconciliations WHERE
--   verdict = 'differs'
-- columns of: reconciliations
-- column: label | Label of the address | labels
CREATE VIEW reconciliations AS
SELECT
  r.address, asset_kind, token_address, token_id, from_block, to_block, opening, moved, closing,
  expected, difference, verdict, cause, witness, witness_head, client_version, calls, read_at,
  own.label
FROM lake.reconciliations AS r
LEFT JOIN lake.labels AS own ON known.has_names() AND own.address = r.address
QUALIFY row_number() OVER (
  PARTITION BY r.address, asset_kind, token_address, token_id ORDER BY read_at DESC
) = 1;
