-- The largest holders of the native token, as of the newest ranking that was read to its end: one
-- row per holder. Older rankings are in native_holders_history.
--
-- example: SELECT holder_rank, holder_address, amount_text FROM native_holders ORDER BY
--   holder_rank LIMIT 10
-- column: as_of_block | Head of the chain when the ranking was read
-- column: holder_rank | Rank of the balance
-- column: holder_address | Who holds the amount
-- column: amount_text | Amount as served, in the 15 to 17 digits the service keeps [native token]
-- column: amount | As a number; NULL where it does not fit [native token]
-- column: amount_double | The nearest double, for charts and sorting [native token]
-- column: label | Label of the holder | labels
-- column: symbol | Symbol of the native token
-- column: coverage_status | complete: other rankings are not shown
CREATE VIEW native_holders AS
SELECT
  as_of_block, holder_rank, holder_address, amount_text, amount, amount_double, label, symbol,
  coverage_status
FROM curated.native_holders
LEFT JOIN lake.labels ON known.has_names() AND address = holder_address
WHERE coverage_status = 'complete'
  AND as_of_block = (
    SELECT max(as_of_block) FROM curated.native_holders WHERE coverage_status = 'complete'
  );
