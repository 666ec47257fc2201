-- Evidence of checks: one row for each fact at one height.
--
-- column: check_name | Check
-- column: axis | primary or zone
-- column: height | Block
-- column: dataset | Dataset
-- column: endpoint | Endpoint
-- column: variant | Filters
-- column: key | Key
-- column: subject | Column or hash
-- column: declared | Declared records
-- column: records | Records
-- column: examples | Examples
-- column: lists | Lists
-- column: copies | Copies
SELECT
  NULL::VARCHAR AS check_name, NULL::VARCHAR AS axis, NULL::BIGINT AS height,
  NULL::VARCHAR AS dataset, NULL::VARCHAR AS endpoint, NULL::VARCHAR AS variant,
  NULL::VARCHAR AS key, NULL::VARCHAR AS subject, NULL::BIGINT AS declared,
  NULL::BIGINT AS records, NULL::VARCHAR[] AS examples, NULL::VARCHAR[] AS lists,
  NULL::VARCHAR[] AS copies
WHERE false;
