-- Transfers of ERC-721 tokens under the names of Etherscan's tokennfttx: one row per transfer,
-- every copy of it.
--
-- example: SELECT "contractAddress", "tokenID" FROM etherscan.tokennfttx WHERE "to" =
--   lower('0x...')
-- column: blockNumber | Height of the block | block_number
-- column: timeStamp | Time of the block, in seconds since 1970 [s] | block_time
-- column: hash | Hash of the transaction | tx_hash
-- column: blockHash | Hash of the block | block_hash
-- column: from | Sender | from_address
-- column: contractAddress | Contract of the token | token_address
-- column: to | Recipient | to_address
-- column: tokenID | Id of the token, as text: ids have up to 78 digits | token_id
-- column: tokenSymbol | Symbol from the tokens CSV, else the one of the record | symbol
-- column: tokenDecimal | Decimal places of the token; NULL where the tokens CSV has none | decimals
-- column: block_time | Time of the block [UTC]
-- column: coverage_status | As in token_transfers
CREATE VIEW etherscan.tokennfttx AS
SELECT
  block_number AS "blockNumber", CAST(epoch_ms(block_time) // 1000 AS BIGINT) AS "timeStamp",
  tx_hash AS hash, block_hash AS "blockHash", from_address AS "from",
  t.token_address AS "contractAddress", to_address AS "to",
  token_id AS "tokenID",
  coalesce(token.symbol, t.symbol) AS "tokenSymbol", token.decimals AS "tokenDecimal", block_time,
  coverage_status
FROM curated.token_transfers AS t
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = t.token_address
WHERE token_standard = 'token_721' AND tx_status IS DISTINCT FROM 'fail';
