-- Transfers of ERC-20 tokens under the names of Dune: one row per transfer, every copy of it.
-- Records have no log index, so two rows that are equal in every column are two transfers.
--
-- example: SELECT "to", SUM(value) FROM erc20_ethereum.evt_Transfer WHERE contract_address =
--   lower('0x...') GROUP BY 1
-- also: erc20_ethereum.evt_transfer
-- column: contract_address | Contract of the token | token_address
-- column: evt_tx_hash | Hash of the transaction | tx_hash
-- column: evt_block_time | Time of the block [UTC] | block_time
-- column: evt_block_date | Day of the block [UTC] | block_date
-- column: evt_block_number | Height of the block | block_number
-- column: from | Sender | from_address
-- column: to | Recipient | to_address
-- column: value | Amount in the smallest unit; NULL where the tokens CSV has no decimals and where
--   it fits no HUGEINT [smallest unit] | raw_text
-- column: value_text | The same, exact whatever its size [smallest unit] | raw_text
-- column: coverage_status | As in token_transfers
CREATE VIEW dune.erc20_evt_transfer AS
SELECT
  t.token_address AS contract_address, tx_hash AS evt_tx_hash, block_time AS evt_block_time,
  block_date AS evt_block_date, block_number AS evt_block_number, from_address AS "from",
  to_address AS "to", whole_number(raw_amount(amount_text, token.decimals, token.amounts))
    AS value,
  raw_amount(amount_text, token.decimals, token.amounts) AS value_text, coverage_status
FROM curated.token_transfers AS t
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = t.token_address
WHERE token_standard = 'token_20' AND tx_status IS DISTINCT FROM 'fail';
