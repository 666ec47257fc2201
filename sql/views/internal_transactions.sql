-- Internal transactions of the exported addresses: one row per call or creation, every copy of it.
-- Two rows that are equal in every column are two calls; counting DISTINCT rows loses some.
--
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: tx_hash | Hash of the transaction that made the call
-- column: operation | call, staticcall, delegatecall, create ...; only some of them move value
-- column: from_address | Origin
-- column: to_address | Destination
-- column: amount_text | Exact amount, moved if the call succeeded [native token]
-- column: amount | The same as a number; NULL where it does not fit [native token]
-- column: tx_status | success or fail; NULL: no endpoint exported so far says it
-- column: block_hash | Hash of the block
-- column: from_is_contract | The origin is a contract, as of the reading
-- column: to_is_contract | The destination is a contract, as of the reading
-- column: occurrence | 1 for the first of several equal records, 2 for the second, ...
-- column: coverage_status | complete where a list that names the row is complete at its height
-- column: _endpoint | Endpoint the row comes from
-- column: _variant | Filters it was asked with
CREATE VIEW internal_transactions AS
SELECT block_number, block_time, tx_hash, operation, from_address, to_address, amount_text, amount,
  CAST(NULL AS VARCHAR) AS tx_status, block_hash, from_is_contract, to_is_contract,
  _occurrence AS occurrence,
  row_status(_endpoint, _variant, from_addresses, to_addresses, block_number) AS coverage_status,
  _endpoint, _variant
FROM lake.internal_transactions;
