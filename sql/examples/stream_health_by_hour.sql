-- How whole was the stream of fragments in each hour?
--
-- column: hour | Beginning of the hour [UTC]
-- column: messages | Messages received
-- column: whole_share | Share of blocks with all fragments
-- column: gaps | Times without a connection, and frames that were not readable
-- column: longest_silence | Longest time between two messages [seconds]
SELECT
  hour, messages, round(whole_blocks / nullif(blocks, 0), 3) AS whole_share, gaps, longest_silence
FROM stream_health
ORDER BY hour;
