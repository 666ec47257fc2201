-- Transactions that were looked up in a dataset by their hash, and whose look-up is complete: what
-- it says of them is all there is. The scopes say of what: '' is everything.
CREATE MACRO looked_up(wanted_dataset) AS TABLE
SELECT key AS tx_hash, list(scope) AS scopes
FROM lake.coverage
WHERE dataset = wanted_dataset AND key_kind = 'transaction' AND status = 'complete'
GROUP BY key;
