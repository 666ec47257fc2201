import { expect, test } from 'vitest';
import { matrixHtml } from '../../../../src/export/html/matrix.ts';
import { withScratch } from '../../../../src/land/storage/scratch.ts';
import { reconciliationMatrix } from '../../../../src/load/query/reconciled.ts';

/** The matrix of reconciliations that a query gives. */
function matrixOf(rows: string) {
  return withScratch(async (connection) => {
    await connection.run(`CREATE VIEW reconciliations AS ${rows}`);
    await connection.run(
      `CREATE VIEW reconciliation_findings AS
       SELECT *, 1::BIGINT AS block_number FROM reconciliations WHERE false`,
    );
    return reconciliationMatrix(async (sql) => {
      return (await connection.runAndReadAll(sql)).getRowObjectsJson();
    });
  });
}

const ROW = `SELECT '0x' || lpad(CAST(n AS VARCHAR), 40, '0') AS address, 'token' AS asset_kind,
  CASE WHEN n < 51 THEN '0x' || repeat('a', 40) ELSE '0x' || repeat('b', 40) END AS token_address,
  NULL::VARCHAR AS token_id, 'agrees' AS verdict`;

test('a large matrix has the assets of the addresses that it shows, and counts all', async () => {
  const { titles, rows, addresses, assets } = await matrixOf(`${ROW} FROM range(200) AS r(n)`);
  expect(titles).toEqual(['0xaaaa…aaaa']);
  expect([rows.length, addresses, assets]).toEqual([50, 200, 2]);
});

test('an empty matrix says how balances are reconciled', async () => {
  const matrix = await matrixOf(`${ROW} FROM range(0) AS r(n)`);
  expect(matrixHtml(matrix, undefined, 'my.yaml').text).toContain('windrow reconcile my.yaml<');
});
