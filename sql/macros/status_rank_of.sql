-- The rank of a coverage status: 1 for complete, 6 for failed, 7 for none. The lowest is the best.
CREATE MACRO status_rank_of(status) AS CASE status
  WHEN 'complete' THEN 1 WHEN 'provisional' THEN 2 WHEN 'truncated' THEN 3
  WHEN 'depth_limited' THEN 4 WHEN 'inconsistent' THEN 5 WHEN 'failed' THEN 6 ELSE 7
END;
