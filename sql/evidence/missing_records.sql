-- Records of a height that one list holds and another one lacks, though both are complete for a key
-- of the record: one row for each list that lacks some, and for each of its keys.
--
-- for: differing lists
WITH records AS MATERIALIZED (
  SELECT row_number() OVER () AS record, *
  FROM (
    SELECT dataset, height, tx_hash, token_address, token_id,
      -- A transaction is one by its hash, however lists spell its parties.
      CASE WHEN NOT is_transaction
        THEN concat_ws(' ', coalesce(from_address, '-'), coalesce(to_address, '-'), amount_text)
      END AS identity,
      min(from_address) AS from_address, min(to_address) AS to_address,
      min(token_standard) AS token_standard,
      list(DISTINCT list ORDER BY list) AS lists
    FROM known.compared
    GROUP BY dataset, height, tx_hash, token_address, token_id, identity
  )
),
complete_lists AS MATERIALIZED (
  SELECT l.list, l.dataset, l.key_kind, l.side, l.scope, p.key, p.part, p.from_block, p.to_block
  FROM known.cover AS p JOIN lake.lists AS l ON l.list = p.list
  WHERE p.status_rank = 1
),
-- Every complete list that ought to hold the record. One join a key: together they are slow.
due AS (
  SELECT r.*, l.list, l.scope, l.key
  FROM records AS r
  JOIN complete_lists AS l
    ON l.key_kind = 'address' AND l.dataset = r.dataset AND l.key = r.from_address
    AND r.height BETWEEN l.from_block AND l.to_block
  WHERE l.side <> 'to'
  UNION ALL
  SELECT r.*, l.list, l.scope, l.key
  FROM records AS r
  JOIN complete_lists AS l
    ON l.key_kind = 'address' AND l.dataset = r.dataset AND l.key = r.to_address
    AND r.height BETWEEN l.from_block AND l.to_block
  WHERE l.side <> 'from'
  UNION ALL
  SELECT r.*, l.list, l.scope, l.key
  FROM records AS r
  JOIN complete_lists AS l
    ON l.key_kind = 'token' AND l.dataset = r.dataset AND l.key = r.token_address
    AND r.height BETWEEN l.from_block AND l.to_block
  UNION ALL
  SELECT r.*, l.list, l.scope, l.key
  FROM records AS r
  JOIN complete_lists AS l
    ON l.key_kind = 'transaction' AND l.dataset = r.dataset AND l.key = r.tx_hash
    AND r.height BETWEEN l.from_block AND l.to_block
  UNION ALL
  SELECT r.*, l.list, l.scope, l.key
  FROM records AS r
  JOIN complete_lists AS l
    ON l.key_kind = 'all' AND l.dataset = r.dataset AND l.part = known.part_of(r.height)
    AND r.height BETWEEN l.from_block AND l.to_block
),
lacking AS (
  SELECT record, list, any_value(lists) AS lists, min(key) AS key,
    any_value(height) AS height, any_value(tx_hash) AS tx_hash
  FROM due
  WHERE NOT list_contains(lists, list)
    AND scope IN (
      '', 'token_standard=' || token_standard, 'token_address=' || token_address,
      'token_address=' || token_address || '&token_standard=' || token_standard
    )
  GROUP BY record, list
),
found AS (
  SELECT height, list, key, count(*) AS records,
    list_slice(list(DISTINCT tx_hash ORDER BY tx_hash), 1, 3) AS examples,
    list_distinct(flatten(list(lists))) AS holders
  FROM lacking
  GROUP BY height, list, key
)
SELECT f.height, l.dataset, l.endpoint, l.variant, f.key, f.records, f.examples,
  (
    SELECT list(endpoint || CASE variant WHEN '' THEN '' ELSE '?' || variant END ORDER BY h.list)
    FROM lake.lists AS h WHERE list_contains(f.holders, h.list)
  ) AS lists
FROM found AS f JOIN lake.lists AS l ON l.list = f.list;
