-- Status of a row: complete where one of its parties is covered complete at its height, else the
-- status of the coverage there is, else none.
CREATE MACRO row_status(endpoint_of, variant_of, senders, recipients, height) AS (
  SELECT coalesce(
    max(CASE WHEN c.status = 'complete' THEN 'complete' END),
    min(c.status),
    'none'
  )
  FROM lake.coverage AS c
  WHERE c.endpoint = endpoint_of
    AND c.variant = variant_of
    AND height BETWEEN c.from_block AND c.to_block
    AND (list_contains(senders, c.address) OR list_contains(recipients, c.address))
);
