-- Transfers of ERC-1155 tokens under the names of Dune: one row per transfer, every copy of it. The
-- parts of a batch are rows of their own, too: records do not say which event they come from.
--
-- example: SELECT contract_address, id, SUM(value) FROM erc1155_ethereum.evt_TransferSingle GROUP
--   BY 1, 2
-- also: erc1155_ethereum.evt_transfersingle
-- column: contract_address | Contract of the token | token_address
-- column: evt_tx_hash | Hash of the transaction | tx_hash
-- column: evt_block_time | Time of the block [UTC] | block_time
-- column: evt_block_date | Day of the block [UTC] | block_date
-- column: evt_block_number | Height of the block | block_number
-- column: from | Sender | from_address
-- column: to | Recipient | to_address
-- column: id | Id of the token, as text: ids have up to 78 digits | token_id
-- column: value | Number of tokens; NULL where it fits no HUGEINT | amount_text
-- column: coverage_status | As in token_transfers
CREATE VIEW dune.erc1155_evt_transfersingle AS
SELECT
  token_address AS contract_address, tx_hash AS evt_tx_hash, block_time AS evt_block_time,
  block_date AS evt_block_date, block_number AS evt_block_number, from_address AS "from",
  to_address AS "to", token_id AS id, whole_number(amount_text) AS value, coverage_status
FROM curated.token_transfers
WHERE token_standard = 'token_1155' AND tx_status IS DISTINCT FROM 'fail';
