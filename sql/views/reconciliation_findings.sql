-- Movements by which the ledger and the chain differ. One stays until a later reconciliation of its
-- asset includes its blocks.
--
-- example: SELECT block_number, tx_hash, what, leg, amount, ledger_amount FROM
--   reconciliation_findings WHERE verdict = 'differs' ORDER BY block_number
-- column: address | Address, in lower case; NULL for blocks
-- column: asset_kind | native, nonce, token_20, token_721, token_1155 or token_10; or blocks,
--   receipts
-- column: token_address | Contract of the token
-- column: token_id | Id of the token, for token_1155
-- column: block_number | Height of the movement on the chain
-- column: tx_hash | Hash of its transaction; NULL where it has none or is unknown
-- column: log_index | Index of the event in its block, for tokens
-- column: what | missing, extra, changed, moved, unnamed, or the class
-- column: leg | value, fee, internal, token, nonce, withdrawal, reward or block
-- column: from_address | Sender
-- column: to_address | Recipient
-- column: amount | Exact amount on the chain [smallest unit]
-- column: ledger_amount | Exact amount in the ledger [smallest unit]
-- column: ledger_block | Height of the movement in the ledger
-- column: verdict | differs, or explained by its class
-- column: read_at | When the reconciliation began [UTC]
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
