-- The day of a time, in UTC. A cast to DATE costs ten times as much and depends on the time zone of
-- the connection.
--
-- example: SELECT day_of(broadcast_time), count(*) FROM pending_transactions GROUP BY 1
CREATE MACRO day_of(moment) AS DATE '1970-01-01' + CAST(epoch_ms(moment) // 86400000 AS INTEGER);
