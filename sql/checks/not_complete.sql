-- Intervals that were read incompletely or with a contradiction, and that no other list of the same
-- records covers: rows may be missing there. The column reason says why. Run the pipeline again.
-- Records beyond a limit of the service need another endpoint: a block is no finding once all of
-- its transactions were looked up. For rankings, which are read again as a whole, only the newest
-- reading counts. Rows of a node are findings while no list of the service has their records.
--
-- severity: error
WITH cut_off AS (
  SELECT dataset, scope, unnest(range(from_block, to_block + 1)) AS block_number
  FROM lake.reach
  WHERE status = 'truncated' AND key_kind = 'all' AND blocks <= 1000
),
-- The missing part of a block is unknown without all of its transactions.
listed AS (
  SELECT c.dataset, c.scope, c.block_number, t.tx_hash
  FROM cut_off AS c
  JOIN lake.reach AS r
    ON r.dataset = 'transactions' AND r.scope = '' AND r.key_kind = 'all'
    AND r.status = 'complete' AND c.block_number BETWEEN r.from_block AND r.to_block
  JOIN lake.transactions AS t ON t.block_number = c.block_number
),
-- Rows of other lists are left out at once: they may be millions.
by_hash AS (SELECT endpoint FROM lake.lists WHERE key_kind = 'transaction'),
-- A look-up is complete if it has a row, or is among those without a record, and its hash has no
-- entry.
look_ups AS (
  SELECT r.dataset, s.scope, r.tx_hash
  FROM (
    SELECT 'transactions' AS dataset, _endpoint, _variant, tx_hash FROM lake.transactions
    WHERE _endpoint IN (FROM by_hash)
    UNION ALL
    SELECT 'internal_transactions', _endpoint, _variant, tx_hash FROM lake.internal_transactions
    WHERE _endpoint IN (FROM by_hash)
    UNION ALL
    SELECT 'token_transfers', _endpoint, _variant, tx_hash FROM lake.token_transfers
    WHERE _endpoint IN (FROM by_hash)
    UNION ALL
    SELECT dataset, endpoint, variant, tx_hash
    FROM lake.empty_look_ups JOIN lake.lists USING (endpoint, variant)
  ) AS r
  JOIN lake.lists AS s
    ON s.key_kind = 'transaction' AND s.dataset = r.dataset
      AND s.endpoint = r._endpoint AND s.variant = r._variant
  SEMI JOIN listed AS l ON l.dataset = r.dataset AND l.tx_hash = r.tx_hash
  ANTI JOIN lake.coverage AS c
    ON c.key = r.tx_hash AND c.endpoint = r._endpoint AND c.variant = r._variant
),
looked_up AS (
  SELECT dataset, scope, block_number
  FROM listed AS l
  GROUP BY ALL
  HAVING bool_and(EXISTS (
    FROM look_ups AS u
    WHERE u.dataset = l.dataset AND u.tx_hash = l.tx_hash AND u.scope IN ('', l.scope)
  ))
),
reach AS (
  SELECT * FROM lake.reach AS r
  WHERE status <> 'truncated' OR key_kind <> 'all' OR blocks > (
    SELECT count(*) FROM looked_up AS u
    WHERE u.dataset = r.dataset AND u.scope = r.scope
      AND u.block_number BETWEEN r.from_block AND r.to_block
  )
),
known AS (
  SELECT *
  FROM reach LEFT JOIN lake.lists USING (dataset, endpoint, variant)
  QUALIFY list_kind IS DISTINCT FROM 'snapshot'
    OR to_block = max(to_block) OVER (PARTITION BY dataset, endpoint, variant)
),
of_nodes AS (
  SELECT tx_hash, sources[1] AS endpoint
  FROM (
    SELECT tx_hash, sources FROM curated.token_transfers
    UNION ALL
    SELECT tx_hash, sources FROM curated.internal_transactions
  )
  WHERE len(sources) = 1 AND starts_with(sources[1], 'witness/')
)
SELECT DISTINCT
  'The ' || dataset || CASE key WHEN '' THEN '' ELSE ' of ' || key END
  || CASE WHEN from_block = to_block THEN ' in block ' || from_block
    ELSE ' in blocks ' || from_block || ' to ' || to_block END
  || CASE status
    WHEN 'failed' THEN ' could not be read'
    ELSE ' are ' || replace(status, '_', ' ')
  END
  || CASE coalesce(reason, '') WHEN '' THEN '' ELSE ': ' || reason END AS finding,
  status, reason, dataset, endpoint, variant, key, from_block, to_block, blocks
FROM (
  SELECT status, reason, dataset, endpoint, variant, key, from_block, to_block, blocks FROM known
  UNION ALL
  SELECT status, reason, dataset, endpoint, variant, key, from_block, to_block, blocks
  FROM lake.coverage WHERE key_kind = 'transaction'
    AND (NOT starts_with(endpoint, 'witness/') OR (key, endpoint) IN (FROM of_nodes))
)
WHERE status NOT IN ('complete', 'provisional')
ORDER BY status, reason, dataset, endpoint, variant, key, from_block, to_block;
