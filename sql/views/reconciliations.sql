-- The newest comparison of each asset of an address with a node of the chain: opening balance and
-- movements of the ledger against the closing balance. lake.reconciliations has the earlier ones.
--
-- example: SELECT address, asset_kind, token_address, difference, cause FROM reconciliations WHERE
--   verdict = 'differs'
-- column: address | Address, in lower case; NULL for samples of blocks and receipts
-- column: label | Label of the address | labels
-- column: asset_kind | native, nonce, token_20, token_721, token_1155 or token_10; or blocks,
--   receipts
-- column: token_address | Contract of the token
-- column: token_id | Id of the token, for token_1155
-- column: verdict | agrees, differs, explained or not_checked
-- column: cause | Class of the difference, or the reason of not_checked
-- column: from_block | First block of the compared range
-- column: to_block | Last block of the compared range
-- column: opening | Balance before the first block, of the node [smallest unit]
-- column: moved | Sum of the ledger over the range [smallest unit]
-- column: expected | opening and moved together [smallest unit]
-- column: closing | Balance after the last block, of the node [smallest unit]
-- column: difference | closing less expected [smallest unit]
-- column: witness | Origins of the nodes that gave the balances
-- column: witness_head | Newest block of the nodes
-- column: client_version | Version that the nodes state
-- column: read_at | When the reconciliation began [UTC]
CREATE VIEW reconciliations AS
SELECT
  r.address, own.label, asset_kind, token_address, token_id, verdict, cause, from_block, to_block,
  opening, moved, expected, closing, difference, witness, witness_head, client_version, read_at
FROM lake.reconciliations AS r
LEFT JOIN lake.labels AS own ON own.address = r.address
QUALIFY row_number() OVER (
  PARTITION BY r.address, asset_kind, token_address, token_id ORDER BY read_at DESC
) = 1;
