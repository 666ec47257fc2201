-- Transfers of ERC-721 tokens under the names of Dune: one row per transfer, every copy of it.
--
-- example: SELECT "tokenId", "to" FROM erc721_ethereum.evt_Transfer WHERE contract_address =
--   lower('0x...')
-- also: erc721_ethereum.evt_transfer
-- column: contract_address | Contract of the token | token_address
-- column: evt_tx_hash | Hash of the transaction | tx_hash
-- column: evt_block_time | Time of the block [UTC] | block_time
-- column: evt_block_date | Day of the block [UTC] | block_date
-- column: evt_block_number | Height of the block | block_number
-- column: from | Sender | from_address
-- column: to | Recipient | to_address
-- column: tokenId | Id of the token, as text: ids have up to 78 digits | token_id
-- column: coverage_status | As in token_transfers
CREATE VIEW dune.erc721_evt_transfer AS
SELECT
  token_address AS contract_address, tx_hash AS evt_tx_hash, block_time AS evt_block_time,
  block_date AS evt_block_date, block_number AS evt_block_number, from_address AS "from",
  to_address AS "to", token_id AS "tokenId", coverage_status
FROM curated.token_transfers
WHERE token_standard = 'token_721' AND tx_status IS DISTINCT FROM 'fail';
