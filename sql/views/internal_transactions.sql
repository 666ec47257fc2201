-- Internal transactions of the primary chain with the labels of both parties: one row per internal
-- call or creation, every copy of it. Two rows that are equal in every column are two calls;
-- counting DISTINCT rows loses some. curated.internal_transactions has the same rows without
-- labels.
--
-- example: SELECT operation, count(*), exact_sum(amount_text) FROM internal_transactions WHERE
--   succeeded GROUP BY operation
-- columns of: internal_transactions
-- column: from_label | Label of the origin | labels
-- column: to_label | Label of the destination | labels
CREATE VIEW internal_transactions AS
SELECT t.*, sender.label AS from_label, recipient.label AS to_label
FROM curated.internal_transactions AS t
LEFT JOIN lake.labels AS sender ON sender.address = t.from_address
LEFT JOIN lake.labels AS recipient ON recipient.address = t.to_address;
