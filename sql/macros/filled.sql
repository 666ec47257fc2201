-- A field of a record: the value in its own list, or else that of the other lists, where these are
-- sure to hold the same copies of the record.
CREATE MACRO filled(value, other, is_sure) AS coalesce(value, CASE WHEN is_sure THEN other END);
