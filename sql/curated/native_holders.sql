-- Rankings of the largest holders of the native token, one row per holder and reading.
--
-- column: as_of_block | Head of the chain when the ranking was read
-- column: holder_rank | Rank of the balance
-- column: holder_address | Who holds the amount
-- column: amount_text | Amount as served, in the 15 to 17 digits the service keeps [native token]
-- column: amount | As a number; NULL where it does not fit [native token]
-- column: amount_double | The nearest double, for charts and sorting [native token]
-- column: symbol | Symbol of the native token
-- column: coverage_status | complete where the whole ranking was read at this height; else the
--   status of its coverage, or none | lake.coverage
-- column: sources | Endpoint of the ranking
SELECT
  as_of_block, holder_rank, holder_address, amount_text, amount,
  TRY_CAST(amount_text AS DOUBLE) AS amount_double, symbol,
  status_of(_status_rank) AS coverage_status, [_endpoint] AS sources
FROM known.native_holders;
