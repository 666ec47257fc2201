-- Transfers of ERC-20 and ERC-721 tokens under the names of the BigQuery data set crypto_ethereum:
-- one row per transfer, every copy of it. Records have no log index, so two rows that are equal in
-- every column are two transfers.
--
-- example: SELECT token_address, COUNT(1) FROM crypto_ethereum.token_transfers GROUP BY
--   token_address
-- also: crypto_ethereum.token_transfers
-- column: token_address | Contract of the token
-- column: from_address | Sender
-- column: to_address | Recipient
-- column: value | Exact amount for ERC-20 [smallest unit], id of the token for ERC-721, as text;
--   NULL where the tokens CSV has no decimals of an ERC-20 token | raw_text or token_id
-- column: transaction_hash | Hash of the transaction | tx_hash
-- column: block_timestamp | Time of the block [UTC] | block_time
-- column: block_number | Height of the block
-- column: block_hash | Hash of the block
-- column: coverage_status | As in token_transfers
CREATE VIEW bigquery.token_transfers AS
SELECT
  t.token_address, from_address, to_address,
  CASE token_standard WHEN 'token_721' THEN token_id
    ELSE raw_amount(amount_text, token.decimals, token.amounts) END AS value,
  tx_hash AS transaction_hash, block_time AS block_timestamp, block_number, block_hash,
  coverage_status
FROM curated.token_transfers AS t
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = t.token_address
WHERE token_standard IN ('token_20', 'token_721') AND tx_status IS DISTINCT FROM 'fail';
