import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqlFiles } from '../../../src/curate/rule/sql-files.ts';
import { withDatabase } from '../../../src/land/storage/connection.ts';
import { emptyWarehouse } from '../../../src/load/empty-warehouse.ts';
import { hasNamesSql } from '../../../src/load/tables/known-tables.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

/** Rows of a list by address, of 100 senders whose nonces follow each other. */
const ROWS = `
  SELECT i AS block_number, sha256('' || i) AS tx_hash, sha256('' || i % 100) AS from_address,
    i // 100 AS nonce, '0' AS tx_type, false AS from_is_contract, 'complete' AS coverage_status,
    'by address' AS _endpoint, '' AS _variant
  FROM range(400_000) AS numbers (i)`;

test('checks over all rows keep no texts of them in memory', async () => {
  const folder = await freshFolder();
  const path = join(folder, 'warehouse.duckdb');
  await writeFile(path, await (await emptyWarehouse()).bytes());
  const checks = await sqlFiles('checks');
  await withDatabase(
    path,
    async (connection) => {
      for (const sql of hasNamesSql(false)) await connection.run(sql);
      await connection.run(`CREATE VIEW rows AS ${ROWS}`);
      for (const view of ['files.transactions', 'curated_files.transactions']) {
        const file = `'${join(folder, `${view}.parquet`)}'`;
        await connection.run(`COPY (FROM (FROM ${view}) UNION ALL BY NAME FROM rows) TO ${file};
        CREATE OR REPLACE VIEW ${view} AS FROM ${file}`);
      }
      await connection.run(`CREATE VIEW evidence AS FROM curated.check_evidence;
      INSERT INTO lake.reach BY NAME
        SELECT DISTINCT 'transactions' AS dataset, '' AS scope, 'address' AS key_kind,
          from_address AS key, 'from' AS side, 0 AS from_block, 500_000 AS to_block,
          'complete' AS status FROM rows;
      SET memory_limit = '64MiB';
      SET max_temp_directory_size = '0MiB'`);
      for (const { name, sql } of checks) {
        if (!['duplicates', 'nonce_continuity', 'not_complete'].includes(name)) continue;
        expect((await connection.runAndReadAll(sql)).getRows(), name).toEqual([]);
      }
    },
    { threads: '1' },
  );
});
