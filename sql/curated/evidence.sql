-- Evidence of checks: one row for each fact that a query of sql/evidence finds at one height. The
-- checks of the same names show the findings.
--
-- column: check_name | Check that the row is evidence of
-- column: axis | primary or zone: which heights the blocks are
-- column: height | Height of the block
-- column: dataset | Dataset of the records
-- column: endpoint | Endpoint of the list
-- column: variant | Filters of the list; empty for none
-- column: key | Key of the list; empty for lists without keys
-- column: subject | Column, or hash, that the row is about
-- column: declared | Number of records that the block declares
-- column: records | Number of records
-- column: examples | Some hashes or values
-- column: lists | Lists that hold the records, or that declare their number
-- column: copies | Number of copies in each of the lists
SELECT
  NULL::VARCHAR AS check_name, NULL::VARCHAR AS axis, NULL::BIGINT AS height,
  NULL::VARCHAR AS dataset, NULL::VARCHAR AS endpoint, NULL::VARCHAR AS variant,
  NULL::VARCHAR AS key, NULL::VARCHAR AS subject, NULL::BIGINT AS declared,
  NULL::BIGINT AS records, NULL::VARCHAR[] AS examples, NULL::VARCHAR[] AS lists,
  NULL::VARCHAR[] AS copies
WHERE false;
