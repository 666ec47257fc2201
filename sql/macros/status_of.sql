-- The coverage status that a rank stands for: 1 is complete, 6 failed, and 7 or NULL means that no
-- coverage says anything.
CREATE MACRO status_of(status_rank) AS CASE status_rank
  WHEN 1 THEN 'complete' WHEN 2 THEN 'provisional' WHEN 3 THEN 'truncated'
  WHEN 4 THEN 'depth_limited' WHEN 5 THEN 'inconsistent' WHEN 6 THEN 'failed' ELSE 'none'
END;
