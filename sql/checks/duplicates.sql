-- Records that should be there once and stand in the lake several times under one endpoint and
-- variant. After a reorganisation of the chain the older copy lies in an interval marked
-- inconsistent: run the pipeline again, which replaces it. Otherwise please report it: no commit
-- may ever double a record.
--
-- severity: error
SELECT
  identity || ' stands ' || copies || ' times in ' || dataset || ' as listed by ' || endpoint
  || CASE variant WHEN '' THEN '' ELSE '?' || variant END
  || ', at height' || CASE len(blocks) WHEN 1 THEN ' ' ELSE 's ' END
  || list_aggregate(list_slice(blocks, 1, 3), 'string_agg', ', ')
  || CASE WHEN len(blocks) > 3 THEN ' ...' ELSE '' END AS finding,
  *
FROM (
  SELECT 'transactions' AS dataset, _endpoint AS endpoint, _variant AS variant,
    tx_hash AS identity, count(*) AS copies,
    list(DISTINCT block_number ORDER BY block_number) AS blocks
  FROM lake.transactions
  -- Only few hashes of 64 bits are there twice, and they need less memory than whole ones.
  WHERE hash(_endpoint, _variant, tx_hash) IN (
    SELECT hash(_endpoint, _variant, tx_hash) AS short
    FROM lake.transactions
    WHERE tx_hash IS NOT NULL
    GROUP BY short
    HAVING count(*) > 1
  ) AND tx_hash IS NOT NULL
  GROUP BY ALL
  HAVING count(*) > 1
  UNION ALL
  SELECT 'blocks', _endpoint, _variant,
    block_hash, count(*),
    list(DISTINCT block_number ORDER BY block_number)
  FROM lake.blocks
  WHERE block_hash IS NOT NULL
  GROUP BY ALL
  HAVING count(*) > 1
  UNION ALL
  SELECT 'zone_transactions', _endpoint, _variant,
    tx_hash, count(*),
    list(DISTINCT block_number ORDER BY block_number)
  FROM lake.zone_transactions
  -- Only few hashes of 64 bits are there twice, and they need less memory than whole ones.
  WHERE hash(_endpoint, _variant, tx_hash) IN (
    SELECT hash(_endpoint, _variant, tx_hash) AS short
    FROM lake.zone_transactions
    WHERE tx_hash IS NOT NULL
    GROUP BY short
    HAVING count(*) > 1
  ) AND tx_hash IS NOT NULL
  GROUP BY ALL
  HAVING count(*) > 1
  UNION ALL
  SELECT 'zone_blocks', _endpoint, _variant,
    block_hash, count(*),
    list(DISTINCT block_number ORDER BY block_number)
  FROM lake.zone_blocks
  WHERE block_hash IS NOT NULL
  GROUP BY ALL
  HAVING count(*) > 1
  UNION ALL
  SELECT 'native_holders', _endpoint, _variant, holder_address, count(*), [as_of_block]
  -- The key is as_of_block, holder_address.
  FROM lake.native_holders
  GROUP BY _endpoint, _variant, as_of_block, holder_address
  HAVING count(*) > 1
  UNION ALL
  SELECT 'contract_verifications', _endpoint, _variant,
    submission_id, count(*), list(DISTINCT as_of_block ORDER BY as_of_block)
  FROM lake.contract_verifications
  GROUP BY ALL
  HAVING count(*) > 1
)
ORDER BY dataset, endpoint, variant, identity;
