-- Records that should be there once and stand in the lake several times under one endpoint and
-- variant. After a reorganisation of the chain the older copy lies in an interval marked
-- inconsistent: run the pipeline again, which replaces it. Otherwise please report it: no commit
-- may ever double a record.
--
-- severity: error
SELECT 'transactions' AS dataset, _endpoint AS endpoint, _variant AS variant,
  tx_hash AS identity, count(*) AS copies,
  list(DISTINCT block_number ORDER BY block_number) AS blocks
FROM lake.transactions
WHERE tx_hash IS NOT NULL
GROUP BY ALL
HAVING count(*) > 1
UNION ALL
SELECT 'blocks', _endpoint, _variant,
  block_hash, count(*), list(DISTINCT block_number ORDER BY block_number)
FROM lake.blocks
WHERE block_hash IS NOT NULL
GROUP BY ALL
HAVING count(*) > 1
ORDER BY ALL;
