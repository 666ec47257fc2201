import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { literal } from '../../../src/land/storage/sql-text.ts';
import { FOLLOWED } from './sizes.ts';

/** Parts that are sorted apart, by the first digit of the address, to save memory. */
const PARTS = [...'0123456789abcdef'];

const COLUMNS = `address, axis, block_number, tx_hash, leg, direction, counterparty, symbol,
  token_address, token_id, token_standard, amount_text, signed_amount, tx_status`;

/**
 * Writes the clean `address_activity`: every leg of every record that names an address. Legs of
 * transactions and internal transactions are those of followed addresses; the other records were
 * read in whole blocks, so all their addresses have legs.
 */
export async function writeActivity(
  connection: DuckDBConnection,
  table: (name: string) => string,
  scratch: string,
  file: string,
): Promise<void> {
  const folder = join(scratch, 'legs');
  await connection.run('SET preserve_insertion_order = false');
  await connection.run(
    `COPY (
      WITH ${legsSql(table)}
      SELECT ${COLUMNS}, substr(address, 3, 1) AS part FROM primary_legs
      WHERE address IN (${FOLLOWED_SQL})
      UNION ALL SELECT ${COLUMNS}, substr(address, 3, 1) FROM token_legs
      UNION ALL SELECT ${COLUMNS}, substr(address, 3, 1) FROM zone_legs
    ) TO ${literal(folder)} (FORMAT parquet, COMPRESSION lz4, PARTITION_BY (part))`,
  );
  await connection.run('SET preserve_insertion_order = true');
  const parts: string[] = [];
  for (const part of PARTS) {
    const source = literal(join(folder, `part=${part}`, '*.parquet'));
    const sorted = literal(join(scratch, `legs-${part}.parquet`));
    await connection.run(
      `COPY (
        SELECT ${COLUMNS} FROM read_parquet(${source}, hive_partitioning = false)
        ORDER BY address, block_number, tx_hash, leg, direction
      ) TO ${sorted} (FORMAT parquet, COMPRESSION lz4)`,
    );
    parts.push(sorted);
  }
  await connection.run(
    `COPY (${activitySql(parts)}) TO ${literal(file)} (FORMAT parquet, COMPRESSION zstd)`,
  );
}

const FOLLOWED_SQL = `SELECT address_of(id) FROM range(${FOLLOWED}) AS numbers (id)`;

/** The sorted legs with the columns that follow from others. */
function activitySql(parts: readonly string[]): string {
  return `SELECT ${COLUMNS}, address IN (${FOLLOWED_SQL}) AS followed,
      CASE axis WHEN 'primary' THEN time_of(seconds_of(block_number))
        ELSE zone_time_of(block_number) END AS block_time,
      day_of(block_time) AS block_date,
      CASE WHEN tx_status IS NOT NULL THEN tx_status = 'success' END AS succeeded,
      CAST(amount_text AS DOUBLE) AS amount_double,
      CASE
        WHEN signed_amount = 0 THEN '0'
        WHEN leg = 'internal' THEN NULL
        WHEN direction = 'out' THEN '-' || amount_text
        ELSE amount_text
      END AS signed_text,
      CAST(signed_text AS DOUBLE) AS signed_double,
      CASE leg WHEN 'internal' THEN 'internal_transactions' WHEN 'token' THEN 'token_transfers'
        WHEN 'zone' THEN 'zone_transactions' WHEN 'cross_chain' THEN 'cross_chain_transfers'
        ELSE 'transactions' END AS source,
      'complete' AS coverage_status
    FROM read_parquet([${parts.join(', ')}])`;
}

/** A failed transaction moves nothing but its fee. */
function legsSql(table: (name: string) => string): string {
  return `primary_legs AS (
      SELECT CASE direction WHEN 'in' THEN to_address ELSE from_address END AS address,
        'primary' AS axis, block_number, tx_hash, leg, direction,
        CASE WHEN leg = 'fee' THEN NULL WHEN direction = 'in' THEN from_address ELSE to_address END
          AS counterparty,
        symbol, NULL AS token_address, NULL AS token_id, NULL AS token_standard,
        CASE leg WHEN 'fee' THEN tx_fee_text ELSE amount_text END AS amount_text,
        CASE WHEN leg = 'fee' THEN -tx_fee WHEN tx_status = 'fail' THEN 0
          WHEN direction = 'out' THEN -amount ELSE amount END AS signed_amount,
        tx_status
      FROM ${table('transactions')}
      CROSS JOIN (VALUES ('value', 'out'), ('value', 'in'), ('fee', 'out')) AS k (leg, direction)
      UNION ALL
      -- The status of a call is only known where its transaction failed.
      SELECT CASE direction WHEN 'in' THEN to_address ELSE from_address END,
        'primary', block_number, tx_hash, 'internal', direction,
        CASE direction WHEN 'in' THEN from_address ELSE to_address END,
        NULL, NULL, NULL, NULL, amount_text,
        CASE WHEN operation <> 'call' OR tx_status = 'fail' OR amount = 0 THEN 0 END,
        tx_status
      FROM ${table('internal_transactions')} CROSS JOIN (VALUES ('out'), ('in')) AS k (direction)
    ),
    token_legs AS (
      SELECT CASE direction WHEN 'in' THEN to_address ELSE from_address END AS address,
        'primary' AS axis, block_number, tx_hash, 'token' AS leg, direction,
        CASE direction WHEN 'in' THEN from_address ELSE to_address END AS counterparty,
        symbol, token_address, token_id, token_standard, amount_text,
        CASE direction WHEN 'in' THEN amount ELSE -amount END AS signed_amount, tx_status
      FROM ${table('token_transfers')} CROSS JOIN (VALUES ('out'), ('in')) AS k (direction)
    ),
    zone_legs AS (
      SELECT CASE c.direction WHEN 'MainToZone' THEN target_address ELSE source_address END
          AS address,
        'zone' AS axis, zone_block_number AS block_number, zone_tx_hash AS tx_hash,
        'cross_chain' AS leg,
        CASE c.direction WHEN 'MainToZone' THEN 'in' ELSE 'out' END AS direction,
        CASE c.direction WHEN 'MainToZone' THEN source_address ELSE target_address END
          AS counterparty,
        NULL AS symbol, token_address, token_id, token_standard, amount_text,
        CASE WHEN cross_status = 'fail' THEN 0 WHEN c.direction = 'MainToZone' THEN amount
          ELSE -amount END AS signed_amount,
        cross_status AS tx_status
      FROM ${table('cross_chain_transfers')} AS c
      UNION ALL
      SELECT from_address, 'zone', block_number, tx_hash, 'zone', 'out', NULL,
        NULL, NULL, NULL, NULL, NULL, 0, tx_status
      FROM ${table('zone_transactions')}
    )`;
}
