-- Whether a height lies in one of several intervals, which may be NULL.
CREATE MACRO is_within_any(height, intervals) AS coalesce(
  len(list_filter(intervals, lambda i: height BETWEEN i.from_block AND i.to_block)) > 0,
  false
);
