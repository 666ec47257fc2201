-- The rank of a coverage status: 1 for complete, 6 for failed, 7 for none. The lowest is the best.
CREATE MACRO status_rank_of(status) AS coalesce(
  list_position(
    ['complete', 'provisional', 'truncated', 'depth_limited', 'inconsistent', 'failed'], status
  ),
  7
);
