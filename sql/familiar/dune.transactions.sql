-- Normal transactions of the primary chain under the names of Dune: one row per block and
-- transaction hash. Hashes and addresses are texts in lower case, not bytes.
--
-- example: SELECT date_trunc('day', block_time) AS day, COUNT(*) FROM ethereum.transactions GROUP
--   BY 1 ORDER BY 1
-- also: ethereum.transactions
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: block_number | Height of the block
-- column: block_hash | Hash of the block
-- column: hash | Hash of the transaction | tx_hash
-- column: from | Sender | from_address
-- column: to | Recipient; NULL for a creation | to_address
-- column: value | Amount, moved if the transaction succeeded [wei] | amount
-- column: gas_limit | Gas allowed [gas]
-- column: gas_used | Gas used [gas]
-- column: gas_price | Price of one unit of gas [wei]
-- column: nonce | Transactions the sender had sent before this one
-- column: success | true for success, false for fail, else NULL | succeeded
-- column: type | Legacy, AccessList, DynamicFee, Blob or SetCode | tx_type
-- column: method_id | Identifier of the method called: the first four bytes of Dune's data
-- column: coverage_status | As in transactions
CREATE VIEW dune.transactions AS
SELECT
  block_time, block_date, block_number, block_hash,
  tx_hash AS hash, from_address AS "from", to_address AS "to", wei_of(amount) AS value,
  gas_limit, gas_used, gas_price, nonce, succeeded AS success,
  CASE tx_type WHEN '0' THEN 'Legacy' WHEN '1' THEN 'AccessList' WHEN '2' THEN 'DynamicFee'
    WHEN '3' THEN 'Blob' WHEN '4' THEN 'SetCode' END AS type,
  method_id, coverage_status
FROM curated.transactions;
