import {
  BLOCK_SECONDS,
  BRIDGE,
  CROSSING_TRANSACTIONS,
  SEGMENT_BLOCKS,
  SEGMENT_TRANSACTIONS,
  SEGMENT_ZONE_ACTIONS,
  type Sizes,
  START_SECONDS,
} from './sizes.ts';

/** SQL of the made-up records of the zone chain. */

/** The table `crossings`: both legs of every cross-chain transfer. */
export function crossingsSql({ segments }: Sizes): string {
  const crossings = (segments * SEGMENT_TRANSACTIONS) / CROSSING_TRANSACTIONS;
  return `CREATE TABLE crossings AS
    WITH drawn AS (
      SELECT c, batch_of(c) AS batch, kind_of(c) AS kind, leg_of(batch) AS i,
        seconds_of(block_of(i)) AS main_seconds
      FROM range(${crossings}) AS numbers (c)
    )
    SELECT c, batch, kind, i, followed,
      CASE WHEN kind = 'Deposit' THEN from_id
        WHEN chance(batch, 'account', 2) = 0 THEN followed
        ELSE outsider_id(batch, 'account') END AS source_id,
      CASE WHEN kind = 'Deposit' AND chance(c, 'self', 10) > 0 THEN from_id
        WHEN kind = 'Deposit' OR c <> batch THEN outsider_id(c, 'target')
        ELSE coalesce(to_id, from_id) END AS target_id,
      main_seconds,
      CASE kind WHEN 'Deposit' THEN main_seconds + 5 + chance(batch, 'delay', 55)
        ELSE main_seconds - 10 - chance(batch, 'delay', 590) END AS zone_seconds
    FROM drawn JOIN senders USING (i)`;
}

/** The zone transactions, by height. */
export function zoneTransactionsSql({ segments }: Sizes): string {
  const segmentSeconds = SEGMENT_BLOCKS * BLOCK_SECONDS;
  return `WITH actions AS (
      SELECT hash_of('z', batch) AS tx_hash, any_value(zone_seconds) AS seconds,
        any_value(source_id) AS from_id,
        CASE any_value(kind) WHEN 'Deposit' THEN 'deposit' ELSE 'withdraw' END AS action_type,
        any_value(kind) <> 'FailedWithdraw' AS succeeds
      FROM crossings GROUP BY batch
      UNION ALL
      SELECT hash_of('y', n),
        ${START_SECONDS} + n // ${SEGMENT_ZONE_ACTIONS} * ${segmentSeconds}
          + chance(n, 'second', ${segmentSeconds}),
        CASE chance(n, 'known', 4) WHEN 0 THEN followed_id(n, 'zone') ELSE outsider_id(n, 'zone')
          END,
        ['order', 'cancelOrder', 'transfer'][1 + chance(n, 'action', 3)],
        chance(n, 'fails', 50) > 0
      FROM range(${segments * SEGMENT_ZONE_ACTIONS}) AS numbers (n)
    )
    SELECT tx_hash, zone_block_at(seconds) AS block_number,
      hash_of('zb', block_number) AS block_hash, zone_time_of(block_number) AS block_time,
      CASE WHEN succeeds THEN '0x1' ELSE '0x0' END AS tx_status,
      address_of(from_id) AS from_address, action_type,
      row_number() OVER (PARTITION BY block_number ORDER BY tx_hash) - 1 AS tx_index,
      1 AS occurrence, NULL AS list_position
    FROM actions
    ORDER BY block_number, tx_index`;
}

/** The newest zone blocks, from the file of their transactions. */
export function zoneBlocksSql({ zoneDetailed: { from, to } }: Sizes, zoneTransactions: string) {
  return `SELECT hash_of('zb', block_number) AS block_hash, block_number,
      address_of(outsider_id(block_number, 'zone miner')) AS miner,
      zone_time_of(block_number) AS block_time, coalesce(records, 0) AS txn_count,
      1 AS occurrence, NULL AS list_position
    FROM range(${from}, ${to + 1}) AS heights (block_number)
    LEFT JOIN (
      SELECT block_number, count(*) AS records
      FROM read_parquet(${zoneTransactions}) GROUP BY ALL
    ) USING (block_number)
    ORDER BY block_number`;
}

/** The cross-chain transfers, by height of the zone chain. */
export function crossChainSql(): string {
  return `WITH drawn AS (
      SELECT *, kind = 'Deposit' AS arrives, kind <> 'FailedWithdraw' AS succeeds,
        chance(c, 'token', 5) AS token, 1 + chance(c, 'u', 10000000000) AS units,
        zone_block_at(zone_seconds) AS zone_height, block_of(i) AS main_height
      FROM crossings
    )
    SELECT hash_of('c', c) AS cross_id,
      CASE WHEN arrives THEN 'MainToZone' ELSE 'ZoneToMain' END AS direction,
      CASE kind WHEN 'FailedWithdraw' THEN 'Withdraw' ELSE kind END AS cross_type,
      CASE WHEN succeeds THEN '0x1' ELSE '0x0' END AS cross_status,
      CASE WHEN succeeds THEN hash_of('t', i) END AS main_tx_hash,
      CASE WHEN succeeds THEN main_height END AS main_block_number,
      CASE WHEN succeeds THEN time_of(seconds_of(main_height)) END AS main_block_time,
      hash_of('z', batch) AS zone_tx_hash, zone_height AS zone_block_number,
      zone_time_of(zone_height) AS zone_block_time,
      address_of(source_id) AS from_address, address_of(${BRIDGE}) AS to_address,
      address_of(source_id) AS source_address, address_of(target_id) AS target_address,
      text_of(units, 6) AS amount_text, decimal_of(units, 0.000001) AS amount,
      CAST(units AS VARCHAR) AS amount_raw,
      CASE token WHEN 0 THEN '0x' || repeat('0', 40) ELSE '0x' || sha1('zk' || token) END
        AS token_address,
      'ERC20' AS token_standard, NULL AS token_id, 'Zone token ' || token AS token_name,
      1 AS occurrence, NULL AS list_position
    FROM drawn
    ORDER BY zone_block_number, zone_tx_hash, main_tx_hash, c`;
}
