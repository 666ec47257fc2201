-- Every cross-chain transfer with the transactions that it consists of on both chains: one row per
-- record of cross_chain_transfers. A record with status fail moved nothing.
--
-- A leg without a transaction has a reason: the record names no transaction (`not named`), the
-- transaction was not requested (`not exported`), or it is absent from a complete export that must
-- hold it (`missing`), which the check unmatched_legs finds. An export must hold it if its whole
-- block was exported, or if all records of its sender were: the sender of the transaction on the
-- side where a transfer begins is its signer or its actual sender, so both must have been followed
-- there. Who sends the other one no record says.
--
-- column: zone_tx_hash | Hash of the transaction on the zone chain
-- column: main_tx_hash | Hash of the transaction on the primary chain
-- column: direction | MainToZone or ZoneToMain
-- column: cross_type | Deposit, Withdraw or BatchWithdraw
-- column: cross_status | success or fail | cross_chain_transfers
-- column: succeeded | true for success, false for fail, else NULL
-- column: source_address | Who really sent
-- column: target_address | Who really receives
-- column: token_address | Contract of the token; the zero address stands for the native token
-- column: token_standard | ERC20 or ERC1155
-- column: token_id | Id of the token for ERC1155
-- column: token_name | Name of the token, as of the reading
-- column: amount_text | Exact amount, with the token's precision applied [token]
-- column: amount | As a number; NULL where it does not fit [token]
-- column: amount_double | The nearest double, for charts and sorting [token]
-- column: main_block_number | Height on the primary chain
-- column: main_block_time | Time of that block [UTC]
-- column: main_status | success, fail or pending; NULL where unknown | transactions
-- column: zone_block_number | Height on the zone chain
-- column: zone_block_time | Time of that block [UTC]
-- column: block_date | Day of that block [UTC]
-- column: zone_status | success or fail; NULL where unknown | zone_transactions
-- column: departed_at | Time of the block it left from [UTC]
-- column: arrived_at | Time of the block it arrived in [UTC]
-- column: latency_seconds | From departure to arrival [s]; NULL where a time or the direction is
--   unknown, negative where the clocks of the chains disagree
-- column: main_leg_found | Its primary transaction was exported
-- column: main_ought_to_be | Where a missing one ought to be: block or sender; else NULL
-- column: main_unmatched | not named, not exported or missing; NULL where it was found
-- column: zone_leg_found | Its zone transaction was exported
-- column: zone_ought_to_be | Where a missing one ought to be: block or sender; else NULL
-- column: zone_unmatched | not named, not exported or missing; NULL where it was found
-- column: coverage_status | Status of the list that served the record | cross_chain_transfers
-- column: sources | Endpoint of the list that the record comes from
WITH journeys AS (
  SELECT
    c.* REPLACE (
      coalesce(c.main_block_number, main.block_number) AS main_block_number,
      coalesce(c.main_block_time, main.block_time) AS main_block_time,
      coalesce(c.zone_block_time, zone.block_time) AS zone_block_time
    ),
    main.tx_status AS main_status, zone.tx_status AS zone_status,
    main.tx_hash IS NOT NULL AS main_leg_found, zone.tx_hash IS NOT NULL AS zone_leg_found,
    -- Who sends the transaction on the side where the transfer begins.
    CASE c.direction WHEN 'MainToZone' THEN c.from_address END AS main_signer,
    CASE c.direction WHEN 'MainToZone' THEN c.source_address END AS main_source,
    CASE c.direction WHEN 'ZoneToMain' THEN c.from_address END AS zone_signer,
    CASE c.direction WHEN 'ZoneToMain' THEN c.source_address END AS zone_source
  FROM curated.cross_chain_transfers AS c
  LEFT JOIN known.main_legs AS main
    ON main.tx_hash = c.main_tx_hash AND main.named_block = coalesce(c.main_block_number, -1)
  LEFT JOIN curated.zone_transactions AS zone
    ON zone.block_number = c.zone_block_number AND zone.tx_hash = c.zone_tx_hash
)
SELECT
  j.zone_tx_hash, j.main_tx_hash, direction, cross_type, cross_status, succeeded,
  source_address, target_address, token_address, token_standard, token_id, token_name,
  amount_text, amount, amount_double,
  main_block_number, main_block_time, main_status,
  zone_block_number, zone_block_time, block_date, zone_status,
  CASE direction WHEN 'MainToZone' THEN main_block_time WHEN 'ZoneToMain' THEN zone_block_time END
    AS departed_at,
  CASE direction WHEN 'MainToZone' THEN zone_block_time WHEN 'ZoneToMain' THEN main_block_time END
    AS arrived_at,
  (epoch_ms(arrived_at) - epoch_ms(departed_at)) / 1000 AS latency_seconds,
  main_leg_found,
  CASE
    WHEN main_leg_found OR j.main_tx_hash IS NULL THEN NULL
    WHEN main_blocks.status_rank = 1 THEN 'block'
    WHEN main_signer.status_rank = 1 AND main_source.status_rank = 1 THEN 'sender'
  END AS main_ought_to_be,
  CASE
    WHEN main_leg_found THEN NULL
    WHEN j.main_tx_hash IS NULL THEN 'not named'
    WHEN main_ought_to_be IS NOT NULL THEN 'missing'
    ELSE 'not exported'
  END AS main_unmatched,
  zone_leg_found,
  CASE
    WHEN zone_leg_found OR j.zone_tx_hash IS NULL THEN NULL
    WHEN zone_blocks.status_rank = 1 THEN 'block'
    WHEN zone_signer.status_rank = 1 AND zone_source.status_rank = 1 THEN 'sender'
  END AS zone_ought_to_be,
  CASE
    WHEN zone_leg_found THEN NULL
    WHEN j.zone_tx_hash IS NULL THEN 'not named'
    WHEN zone_ought_to_be IS NOT NULL THEN 'missing'
    ELSE 'not exported'
  END AS zone_unmatched,
  coverage_status, sources
FROM journeys AS j
LEFT JOIN known.main_best AS main_blocks
  ON main_blocks.dataset = 'transactions' AND main_blocks.key = '' AND main_blocks.scope = ''
  AND main_blocks.part = known.part_of(j.main_block_number)
  AND j.main_block_number BETWEEN main_blocks.from_block AND main_blocks.to_block
LEFT JOIN known.best AS zone_blocks
  ON zone_blocks.dataset = 'zone_transactions' AND zone_blocks.key = '' AND zone_blocks.scope = ''
  AND zone_blocks.part = known.part_of(zone_block_number)
  AND zone_block_number BETWEEN zone_blocks.from_block AND zone_blocks.to_block
LEFT JOIN known.main_best AS main_signer
  ON main_signer.dataset = 'transactions' AND main_signer.scope = ''
  AND main_signer.key = j.main_signer AND main_signer.side = 'from'
  AND j.main_block_number BETWEEN main_signer.from_block AND main_signer.to_block
LEFT JOIN known.main_best AS main_source
  ON main_source.dataset = 'transactions' AND main_source.scope = ''
  AND main_source.key = j.main_source AND main_source.side = 'from'
  AND j.main_block_number BETWEEN main_source.from_block AND main_source.to_block
LEFT JOIN known.best AS zone_signer
  ON zone_signer.dataset = 'zone_transactions' AND zone_signer.scope = ''
  AND zone_signer.key = j.zone_signer AND zone_signer.side = 'from'
  AND j.zone_block_number BETWEEN zone_signer.from_block AND zone_signer.to_block
LEFT JOIN known.best AS zone_source
  ON zone_source.dataset = 'zone_transactions' AND zone_source.scope = ''
  AND zone_source.key = j.zone_source AND zone_source.side = 'from'
  AND j.zone_block_number BETWEEN zone_source.from_block AND zone_source.to_block;
