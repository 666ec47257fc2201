-- Contracts of the primary chain that records name, under the names of the BigQuery data set
-- crypto_ethereum: one row per contract.
--
-- example: SELECT COUNT(*) FROM crypto_ethereum.contracts WHERE is_erc20
-- also: crypto_ethereum.contracts
-- column: address | The contract, in lower case
-- column: is_erc20 | true where ERC-20 transfers of it were exported | token_standards
-- column: is_erc721 | true where ERC-721 transfers of it were exported | token_standards
-- column: block_number | Height of the block that created it; NULL where no internal transaction
--   says so | created_block
CREATE VIEW bigquery.contracts AS
SELECT
  address,
  coalesce(list_contains(token_standards, 'token_20'), false) AS is_erc20,
  coalesce(list_contains(token_standards, 'token_721'), false) AS is_erc721,
  created_block AS block_number
FROM contracts_seen;
