-- Records without a key that two lists (endpoint and variant) of one dataset hold, because one was
-- asked with a filter and the other with another or none. The views internal_transactions and
-- token_transfers show both copies: choose one _variant before you sum. address_activity counts
-- such records once.
--
-- severity: note
WITH shared AS (
  SELECT DISTINCT endpoint AS _endpoint, variant AS _variant FROM lake.coverage WHERE is_shared
),
records AS (
  SELECT 'internal_transactions' AS dataset, _endpoint, _variant,
    block_number, tx_hash, from_address, to_address, NULL AS token_address, NULL AS token_standard
  FROM lake.internal_transactions SEMI JOIN shared USING (_endpoint, _variant)
  UNION ALL
  SELECT 'token_transfers', _endpoint, _variant,
    block_number, tx_hash, from_address, to_address, token_address, token_standard
  FROM lake.token_transfers SEMI JOIN shared USING (_endpoint, _variant)
),
held AS (
  SELECT dataset, list_sort(list(DISTINCT _endpoint || '?' || _variant)) AS lists,
    block_number, tx_hash
  FROM records
  GROUP BY dataset, block_number, tx_hash, from_address, to_address, token_address, token_standard
  HAVING count(DISTINCT (_endpoint, _variant)) > 1
)
SELECT dataset, lists, count(*) AS records_in_all_of_them, min(tx_hash) AS example
FROM held
GROUP BY dataset, lists
ORDER BY ALL;
