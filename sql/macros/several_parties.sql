-- The texts of the ledger's records that name several addresses, with each address: one row per
-- text and address. Such records are rare. address_activity joins this table rather than calling
-- UNNEST, which makes DuckDB 1.5 crash below a LIMIT.
CREATE MACRO several_parties() AS TABLE
SELECT DISTINCT party, unnest(addresses_in(party)) AS address
FROM (
  SELECT unnest([from_address, to_address]) AS party FROM lake.transactions
  WHERE contains(concat(from_address, to_address), ',')
  UNION ALL
  SELECT unnest([from_address, to_address]) FROM lake.internal_transactions
  WHERE contains(concat(from_address, to_address), ',')
  UNION ALL
  SELECT unnest([from_address, to_address]) FROM lake.token_transfers
  WHERE contains(concat(from_address, to_address), ',')
  UNION ALL
  SELECT unnest([source_address, target_address]) FROM lake.cross_chain_transfers
  WHERE contains(concat(source_address, target_address), ',')
  UNION ALL
  SELECT from_address FROM lake.zone_transactions WHERE contains(from_address, ',')
)
WHERE contains(party, ',');
