-- The stream by hour: how much was received, and how much is missing.
--
-- example: SELECT hour, blocks, whole_blocks, gaps FROM stream_health ORDER BY hour
-- column: hour | Beginning of the hour [UTC]
-- column: messages | Messages received
-- column: blocks | Heights whose first fragment was received in the hour
-- column: whole_blocks | Those of them with a payload that has all fragments
-- column: missing_fragments | Indexes that were not received
-- column: gaps | Times without a connection after the start, and frames that were not readable
-- column: reconnects | Connections after the first one
-- column: longest_silence | Longest time between two messages that follow each other [seconds]
CREATE VIEW stream_health AS
WITH messages AS (
  SELECT
    date_trunc('hour', received_at) AS hour,
    count(*) AS messages,
    max(silence) AS longest_silence
  FROM (
    SELECT
      received_at,
      epoch(received_at - lag(received_at) OVER (PARTITION BY network ORDER BY frame)) AS silence
    FROM lake.preconf_fragments
  )
  GROUP BY ALL
),
heights AS (
  SELECT
    date_trunc('hour', min(first_seen)) AS hour,
    block_number,
    bool_or(len(missing) = 0 AND fragments > 0) AS is_whole,
    sum(len(missing)) AS missing
  FROM preconf_payloads
  WHERE state <> 'open'
  GROUP BY block_number
),
blocks AS (
  SELECT
    hour, count(*) AS blocks, count(*) FILTER (WHERE is_whole) AS whole_blocks,
    sum(missing)::BIGINT AS missing_fragments
  FROM heights
  GROUP BY hour
),
gaps AS (
  SELECT
    date_trunc('hour', to_time) AS hour,
    count(*) FILTER (WHERE reason <> 'start') AS gaps,
    count(*) FILTER (WHERE reason IN ('disconnected', 'refused', 'silent', 'killed')) AS reconnects
  FROM lake.preconf_gaps
  GROUP BY ALL
),
hours AS (
  SELECT hour FROM messages UNION SELECT hour FROM blocks UNION SELECT hour FROM gaps
)
SELECT
  h.hour,
  coalesce(m.messages, 0) AS messages,
  coalesce(b.blocks, 0) AS blocks,
  coalesce(b.whole_blocks, 0) AS whole_blocks,
  coalesce(b.missing_fragments, 0) AS missing_fragments,
  coalesce(g.gaps, 0) AS gaps,
  coalesce(g.reconnects, 0) AS reconnects,
  m.longest_silence
FROM hours AS h
LEFT JOIN messages AS m ON m.hour = h.hour
LEFT JOIN blocks AS b ON b.hour = h.hour
LEFT JOIN gaps AS g ON g.hour = h.hour;
