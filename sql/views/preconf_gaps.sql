-- Parts of the stream that are missing: times without a connection, frames that were not readable,
-- and indexes that were not received of payloads that have ended.
--
-- example: SELECT reason, count(*) AS gaps FROM preconf_gaps GROUP BY reason
-- column: reason | start, disconnected, refused, silent, killed, unreadable or missing
-- column: block_number | Height of the payload, or the newest height before the gap
-- column: payload_id | Payload; NULL for gaps in time
-- column: fragment_index | Missing index; NULL for gaps in time
-- column: from_time | Last frame before the gap; NULL if there was none [UTC]
-- column: to_time | First moment after the gap [UTC]
-- column: detail | Close code, error or the beginning of the frame
CREATE VIEW preconf_gaps AS
SELECT
  reason, after_block AS block_number, NULL::VARCHAR AS payload_id, NULL::BIGINT AS fragment_index,
  from_time, to_time, detail
FROM lake.preconf_gaps
UNION ALL
SELECT 'missing', p.block_number, p.payload_id, i.range, p.first_seen, p.last_seen, NULL
FROM preconf_payloads AS p
-- Frames with a higher index are not readable. UNNEST below a LIMIT ends some releases of DuckDB.
JOIN range(10_000) AS i ON i.range <= p.last_index AND list_contains(p.missing, i.range)
WHERE p.state <> 'open';
