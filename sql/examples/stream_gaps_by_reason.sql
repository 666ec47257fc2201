-- Why are parts of the stream missing, and for how long?
--
-- column: reason | Reason of the gap
-- column: gaps | Number of gaps
-- column: seconds | Time that they cover; NULL if it is not known [seconds]
SELECT
  reason, count(*) AS gaps,
  round(sum(epoch(to_time - from_time)) FILTER (WHERE reason <> 'missing'), 3) AS seconds
FROM preconf_gaps
GROUP BY reason
ORDER BY gaps DESC, reason;
