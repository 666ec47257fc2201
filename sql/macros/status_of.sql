-- The coverage status that a rank stands for: 1 is complete, 6 failed, and 7 or NULL means that no
-- coverage says anything.
CREATE MACRO status_of(status_rank) AS coalesce(
  ['complete', 'provisional', 'truncated', 'depth_limited', 'inconsistent', 'failed'][status_rank],
  'none'
);
