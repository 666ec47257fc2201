-- The ledger of one address, as in address_activity, with the running sum of each token (of NFTs,
-- of each id) on each chain: one row per leg, block by block. The address may be written in upper
-- or lower case. Legs of one block count together. The sum starts at 0 before the first exported
-- block, so it is the balance only where complete_ranges says that every block is there; it is
-- rounded, because amounts past 1e20 fit no DECIMAL, and legs whose signed amount is unknown add
-- nothing.
--
-- example: SELECT block_number, leg, signed_text, balance_double FROM ledger_of('0x...') LIMIT 10
CREATE MACRO ledger_of(wanted) AS TABLE
SELECT *,
  sum(signed_double) OVER (
    PARTITION BY axis, token_address, token_id ORDER BY block_number
  ) AS balance_double
FROM address_activity
WHERE address = lower(wanted)
ORDER BY axis, block_number, tx_hash, leg, direction;
