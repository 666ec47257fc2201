-- Transactions of the zone chain with the label of their sender: one row per block, hash and place
-- among the actions of the transaction. curated.zone_transactions has the same rows without labels.
--
-- example: SELECT action_type, count(*), count(*) FILTER (NOT succeeded) AS failed FROM
--   zone_transactions GROUP BY action_type
-- columns of: zone_transactions
-- column: from_label | Label of the sender | labels
CREATE VIEW zone_transactions AS
SELECT t.*, sender.label AS from_label
FROM curated.zone_transactions AS t
LEFT JOIN lake.labels AS sender ON known.has_names() AND sender.address = t.from_address;
