-- The label of an address in the CSV file it was exported from, or NULL. The address may be written
-- in upper or lower case.
CREATE MACRO label_of(wanted) AS (
  SELECT any_value(label) FROM lake.labels WHERE address = lower(wanted)
);
