-- Blocks that declare another number of transactions or internal transactions than a list of the
-- whole block holds, though both were read completely: either records are missing or doubled, or
-- the service contradicts itself. Read these blocks again with windrow refetch; what stays then is
-- the service's own. Blocks whose declaration or list is not complete are not compared.
--
-- severity: error
SELECT
  'Block ' || block_number || ' of the ' || axis || ' chain declares ' || declared
  || CASE dataset WHEN 'internal_transactions' THEN ' internal' ELSE '' END
  || CASE declared WHEN 1 THEN ' transaction' ELSE ' transactions' END
  || ', and the list of the whole block holds ' || landed
  || ': ' || abs(declared - landed)
  || CASE WHEN declared > landed THEN ' missing' ELSE ' too many' END AS finding,
  *
FROM (
  SELECT axis, dataset, height AS block_number, subject AS block_hash,
    declared, lists AS declared_by, records AS landed, endpoint, variant, examples AS tx_hashes
  FROM evidence
)
ORDER BY axis, block_number, block_hash, dataset, declared, endpoint, variant;
