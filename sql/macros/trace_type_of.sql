-- The type of a trace, as Dune and BigQuery name it: call for calls of every kind, create for
-- creations, suicide for self-destructions. NULL where the operation is unknown.
--
-- example: SELECT trace_type_of('delegatecall')
CREATE MACRO trace_type_of(operation) AS CASE
  WHEN lower(operation) LIKE 'create%' THEN 'create'
  WHEN lower(operation) IN ('suicide', 'selfdestruct') THEN 'suicide'
  WHEN operation IS NOT NULL THEN 'call'
END;
