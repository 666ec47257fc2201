-- The rank of a status, NULL for rows of a node. These come behind all lists of the service: they
-- need not have all copies of a record.
CREATE MACRO service_rank(endpoint, status_rank) AS
  CASE WHEN NOT starts_with(endpoint, 'witness/') THEN status_rank END;
