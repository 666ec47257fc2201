-- Token transfers of the exported addresses: one row per transfer, every copy of it. Two rows that
-- are equal in every column are two transfers; counting DISTINCT rows loses some.
--
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: tx_hash | Hash of the transaction
-- column: token_address | Contract of the token
-- column: token_standard | Protocol type of the token
-- column: token_id | Id of the token for NFT standards
-- column: symbol | Symbol of the token, as of the reading; chosen by whoever made the token
-- column: from_address | Sender
-- column: to_address | Recipient
-- column: amount_text | Exact amount, as the service states it [token]
-- column: amount | The same as a number; NULL where it does not fit [token]
-- column: block_hash | Hash of the block
-- column: from_is_contract | The sender is a contract, as of the reading
-- column: to_is_contract | The recipient is a contract, as of the reading
-- column: occurrence | 1 for the first of several equal records, 2 for the second, ...
-- column: coverage_status | complete where a list that names the row is complete at its height
-- column: _endpoint | Endpoint the row comes from
-- column: _variant | Filters it was asked with
CREATE VIEW token_transfers AS
SELECT block_number, block_time, tx_hash, token_address, token_standard, token_id, symbol,
  from_address, to_address, amount_text, amount, block_hash, from_is_contract, to_is_contract,
  _occurrence AS occurrence,
  row_status(_endpoint, _variant, from_addresses, to_addresses, block_number) AS coverage_status,
  _endpoint, _variant
FROM lake.token_transfers;
