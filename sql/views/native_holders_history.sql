-- Rankings of the largest holders of the native token, one row per holder and reading.
--
-- example: SELECT as_of_block, holder_rank, amount_text FROM native_holders_history WHERE
--   holder_address = lower('0x...')
-- column: as_of_block | Head of the chain when the ranking was read
-- column: holder_rank | Rank of the balance
-- column: holder_address | Who holds the amount
-- column: amount_text | Amount as served, in the 15 to 17 digits the service keeps [native token]
-- column: amount | As a number; NULL where it does not fit [native token]
-- column: amount_double | The nearest double, for charts and sorting [native token]
-- column: label | Label of the holder | labels
-- column: symbol | Symbol of the native token
-- column: coverage_status | complete where the whole ranking was read at this height; else the
--   status of its coverage, or none | lake.coverage
CREATE VIEW native_holders_history AS
SELECT
  as_of_block, holder_rank, holder_address, amount_text, amount, amount_double, label, symbol,
  coverage_status
FROM curated.native_holders
LEFT JOIN lake.labels ON known.has_names() AND address = holder_address;
