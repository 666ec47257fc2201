-- Token transfers of all standards under the names of Dune: one row per transfer, every copy of it.
--
-- example: SELECT symbol, SUM(amount) FROM tokens.transfers WHERE token_standard = 'erc20' GROUP
--   BY symbol
-- also: tokens.transfers
-- column: blockchain | ethereum, whatever the name of the exported chain
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: block_number | Height of the block
-- column: tx_hash | Hash of the transaction
-- column: token_standard | erc20, erc721 or erc1155; other standards as records have them
-- column: from | Sender | from_address
-- column: to | Recipient | to_address
-- column: contract_address | Contract of the token | token_address
-- column: symbol | Symbol from the tokens CSV, else the one of the record
-- column: token_id | Id of the token for NFT standards
-- column: amount_raw | Exact amount, as text; NULL where the tokens CSV has no decimals [smallest
--   unit] | raw_text
-- column: amount | Amount in whole tokens, as the nearest double; as the record has it where the
--   tokens CSV has no decimals [token] | amount_double
-- column: coverage_status | As in token_transfers
CREATE VIEW dune.tokens_transfers AS
SELECT
  'ethereum' AS blockchain, block_time, block_date, block_number, tx_hash,
  CASE token_standard WHEN 'token_20' THEN 'erc20' WHEN 'token_721' THEN 'erc721'
    WHEN 'token_1155' THEN 'erc1155' ELSE token_standard END AS token_standard,
  from_address AS "from", to_address AS "to", t.token_address AS contract_address,
  coalesce(token.symbol, t.symbol) AS symbol, token_id,
  raw_amount(amount_text, token.decimals, token.amounts) AS amount_raw,
  CASE WHEN token.amounts = 'raw' AND token.decimals IS NOT NULL
    THEN amount_double / pow(10, token.decimals) ELSE amount_double END AS amount,
  coverage_status
FROM curated.token_transfers AS t
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = t.token_address
WHERE tx_status IS DISTINCT FROM 'fail';
