-- Movements by which the ledger and the chain differ. One stays until a later reconciliation of its
-- asset includes its blocks.
--
-- example: SELECT block_number, tx_hash, what, leg, amount, ledger_amount FROM
--   reconciliation_findings WHERE verdict = 'differs' ORDER BY block_number
-- columns of: reconciliation_findings
CREATE VIEW reconciliation_findings AS
SELECT
  address, asset_kind, token_address, token_id, block_number, tx_hash, log_index, what, leg,
  from_address, to_address, amount, ledger_amount, ledger_block, verdict, read_at
FROM lake.reconciliation_findings AS f
ANTI JOIN lake.reconciliations AS r
  ON r.asset_kind = f.asset_kind AND coalesce(r.address = f.address, true)
  AND r.token_address IS NOT DISTINCT FROM f.token_address
  AND r.token_id IS NOT DISTINCT FROM f.token_id AND r.read_at > f.read_at
  AND r.verdict <> 'not_checked' AND r.difference IS NOT NULL
  AND r.from_block <= least(f.block_number, f.ledger_block)
  AND r.to_block >= greatest(f.block_number, f.ledger_block);
