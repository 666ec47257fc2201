-- Whether a transaction with this status succeeded: NULL while it is pending, and where the status
-- is unknown.
CREATE MACRO has_succeeded(tx_status) AS
  CASE tx_status WHEN 'success' THEN true WHEN 'fail' THEN false END;
