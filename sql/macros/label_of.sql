-- The label of an address in the CSV file it was exported from, or NULL. The address may be written
-- in upper or lower case.
--
-- example: SELECT tx_hash, label_of(to_address) FROM transactions LIMIT 10
CREATE MACRO label_of(wanted) AS (
  -- Other column names, so that label_of(address) means the address of the row that asks.
  SELECT any_value(_label)
  FROM (SELECT address AS _address, label AS _label FROM lake.labels)
  WHERE _address = lower(wanted)
);
