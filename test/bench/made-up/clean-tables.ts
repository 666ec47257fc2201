import { join } from 'node:path';
import { literal } from '../../../src/land/storage/sql-text.ts';
import type { ChunkFiles, WholeFiles } from './land-records.ts';

/**
 * The curated tables that the made-up lake must give: one row per real thing, with the columns of
 * the views that do not depend on the order of lists. Sorted by height, then hash; token_flows by
 * day, then token. `clean-activity.ts` has the table that is sorted by address, then height.
 */

export interface CleanTable {
  readonly name: string;
  readonly sql: string;
}

export interface RecordFiles {
  readonly chunks: readonly ChunkFiles[];
  readonly whole: WholeFiles;
  /** Folder of the clean files. Later tables read earlier ones. */
  readonly clean: string;
}

/** The name of a clean file in SQL. */
export function cleanFileIn(folder: string): (table: string) => string {
  return (table) => `read_parquet(${literal(join(folder, `${table}.parquet`))})`;
}

/** The tables in the order in which they must be written. */
export function cleanTables({ chunks, whole, clean }: RecordFiles): CleanTable[] {
  const filesOf = (kind: keyof ChunkFiles): string =>
    `read_parquet([${chunks.map((chunk) => literal(chunk[kind])).join(', ')}])`;
  const file = (path: string): string => `read_parquet(${literal(path)})`;
  const table = cleanFileIn(clean);
  return [
    { name: 'transactions', sql: transactionsSql(filesOf('transactions')) },
    { name: 'internal_transactions', sql: internalsSql(filesOf('internals')) },
    { name: 'token_transfers', sql: transfersSql(filesOf('transfers')) },
    { name: 'blocks', sql: blocksSql(file(whole.blocks)) },
    { name: 'native_holders', sql: holdersSql(file(whole.holders)) },
    { name: 'zone_transactions', sql: zoneTransactionsSql(file(whole.zoneTransactions)) },
    { name: 'zone_blocks', sql: zoneBlocksSql(file(whole.zoneBlocks)) },
    { name: 'cross_chain_transfers', sql: crossChainSql(file(whole.crossChain)) },
    { name: 'cross_chain_journeys', sql: journeysSql(table) },
    { name: 'token_flows', sql: flowsSql(table('token_transfers')) },
  ];
}

const AMOUNT = 'amount_text, amount, CAST(amount_text AS DOUBLE) AS amount_double';
const TIME = 'block_number, block_time, day_of(block_time) AS block_date';
const COMPLETE = "'complete' AS coverage_status";
const ZONE_STATUS = "CASE tx_status WHEN '0x1' THEN 'success' ELSE 'fail' END AS tx_status";

function transactionsSql(from: string): string {
  return `SELECT ${TIME}, tx_hash, from_address, to_address, ${AMOUNT}, symbol, tx_fee_text, tx_fee,
      tx_status, tx_status = 'success' AS succeeded, nonce, method_id, tx_type, gas_used, gas_limit,
      gas_price, block_hash, from_is_contract, to_is_contract, ${COMPLETE}
    FROM ${from}`;
}

function internalsSql(from: string): string {
  return `SELECT ${TIME}, tx_hash, operation, from_address, to_address, ${AMOUNT},
      _status AS tx_status, CASE _status WHEN 'fail' THEN false END AS succeeded, block_hash,
      from_is_contract, to_is_contract, occurrence, ${COMPLETE}
    FROM ${from}`;
}

function transfersSql(from: string): string {
  return `SELECT ${TIME}, tx_hash, token_address, token_standard, token_id, symbol, from_address,
      to_address, ${AMOUNT}, tx_status, tx_status = 'success' AS succeeded, block_hash,
      from_is_contract, to_is_contract, occurrence, ${COMPLETE}
    FROM ${from}`;
}

function blocksSql(from: string): string {
  return `SELECT ${TIME}, block_hash, block_state, txn_count, txn_internal, ${AMOUNT},
      mine_reward_text, mine_reward, total_fee_text, total_fee, fee_symbol, gas_used, gas_limit,
      validator, miner, ommer_blocks, block_size, merkle_root, block_nonce, confirmations,
      chain_full_name, chain_short_name, ${COMPLETE}
    FROM ${from}`;
}

function holdersSql(from: string): string {
  return `SELECT as_of_block, holder_rank, holder_address, ${AMOUNT}, symbol, ${COMPLETE}
    FROM ${from}`;
}

function zoneTransactionsSql(from: string): string {
  return `SELECT ${TIME}, tx_hash, tx_index, from_address, action_type, ${ZONE_STATUS},
      from_file.tx_status = '0x1' AS succeeded, block_hash, ${COMPLETE}
    FROM ${from} AS from_file`;
}

function zoneBlocksSql(from: string): string {
  return `SELECT ${TIME}, block_hash, miner, txn_count, ${COMPLETE} FROM ${from}`;
}

function crossChainSql(from: string): string {
  return `SELECT zone_block_number, zone_block_time, day_of(zone_block_time) AS block_date,
      zone_tx_hash, main_block_number, main_block_time, main_tx_hash, direction, cross_type,
      CASE from_file.cross_status WHEN '0x1' THEN 'success' ELSE 'fail' END AS cross_status,
      from_file.cross_status = '0x1' AS succeeded, source_address, target_address, from_address,
      to_address, token_address, token_standard, CAST(token_id AS VARCHAR) AS token_id, token_name,
      ${AMOUNT}, amount_raw, ${COMPLETE}
    FROM ${from} AS from_file`;
}

function journeysSql(table: (name: string) => string): string {
  return `SELECT c.zone_tx_hash, c.main_tx_hash, direction, cross_type, cross_status, c.succeeded,
      source_address, target_address, token_address, token_standard, token_id, token_name,
      c.amount_text, c.amount, c.amount_double,
      c.main_block_number, c.main_block_time, main.tx_status AS main_status,
      zone_block_number, zone_block_time, c.block_date, zone.tx_status AS zone_status,
      CASE direction WHEN 'MainToZone' THEN main_block_time ELSE zone_block_time END AS departed_at,
      CASE direction WHEN 'MainToZone' THEN zone_block_time ELSE main_block_time END AS arrived_at,
      (epoch_ms(arrived_at) - epoch_ms(departed_at)) / 1000 AS latency_seconds,
      main.tx_hash IS NOT NULL AS main_leg_found,
      CASE WHEN c.main_tx_hash IS NULL THEN 'not named' END AS main_unmatched,
      true AS zone_leg_found, c.coverage_status
    FROM ${table('cross_chain_transfers')} AS c
    JOIN ${table('zone_transactions')} AS zone ON zone.tx_hash = c.zone_tx_hash
    LEFT JOIN ${table('transactions')} AS main ON main.tx_hash = c.main_tx_hash
    ORDER BY zone_block_number, c.zone_tx_hash, c.main_tx_hash, target_address`;
}

/** Tokens with an id are counted apart, because counting ids takes much memory. */
function flowsSql(from: string): string {
  const exact = `CASE WHEN count(amount) = count(*) THEN trimmed(sum(amount))
    ELSE CAST(sum(CAST(CASE WHEN amount IS NULL THEN amount_text END AS DECIMAL(38, 0))) AS VARCHAR)
    END`;
  const pairs = (condition: string, ids: string): string => `
    SELECT block_date AS day, token_address, any_value(token_standard) AS token_standard,
      from_address, to_address, count(*) AS transfers, ${exact} AS amount_text,
      ${ids} AS token_ids, min(block_number) AS first_block, max(block_number) AS last_block
    FROM ${from} WHERE token_id ${condition}
    GROUP BY block_date, token_address, from_address, to_address`;
  return `SELECT *, CAST(amount_text AS DOUBLE) AS amount_double, ${COMPLETE}
    FROM (
      ${pairs('IS NULL', '0')}
      UNION ALL
      ${pairs('IS NOT NULL', 'count(DISTINCT token_id)')}
    )
    ORDER BY day, token_address, from_address, to_address`;
}
