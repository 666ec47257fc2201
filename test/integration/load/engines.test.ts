import { expect, test } from 'vitest';
import { engineScript } from '../../../src/load/engines/engine-script.ts';

/** Goal: the statements of `windrow connect --as`. test/interop executes them. */

const PLACES = [
  { schema: 'curated', name: 'transactions', chain: 'MAINCHAIN', place: "/a'b/transactions" },
  { schema: 'files', name: 'coverage', chain: 'MAINCHAIN', place: '/lake/MAINCHAIN/coverage' },
  { schema: 'files', name: 'coverage', chain: 'ZONECHAIN', place: '/lake/ZONECHAIN/coverage' },
] as const;

test('tables are registered, one of both chains as a union, and views follow those they read', async () => {
  const { statements, absent } = await engineScript('clickhouse', PLACES);
  expect(statements).toContain(
    "CREATE OR REPLACE TABLE `windrow_curated`.`transactions` ENGINE = DeltaLakeLocal('/a\\'b/transactions');",
  );
  const at = (name: string): number =>
    statements.findIndex((sql) => sql.startsWith(`CREATE OR REPLACE VIEW ${name} AS`));
  expect(statements[at('`windrow_files`.`coverage`')]).toMatch(
    /FROM `windrow_files`.`coverage_mainchain` UNION ALL .*`coverage_zonechain`;$/,
  );
  // Not a table yet.
  expect(statements[at('`windrow_lake`.`labels`')]).toMatch(/WHERE 1 = 0;$/);
  expect(at('`windrow`.`transactions`')).toBeGreaterThan(at('`windrow_lake`.`labels`'));
  expect(statements[at('`windrow`.`transactions`')]).toContain('`method`.`name` AS `method_name`');
  for (const view of ['counterparties', 'token_flows_daily'])
    expect(at(`\`windrow\`.\`${view}\``)).toBeGreaterThan(0);
  expect(absent.get('runs')).toBe('It reads lake.runs, which is a table of the warehouse alone.');
  expect(absent.get('nft_holdings')).toBe('It uses exact_sum, which has no equal in ClickHouse.');
  expect(absent.get('bigquery.contracts')).toBe('It reads contracts_seen, which is absent, too.');
});

test.each(['spark', 'trino', 'clickhouse'] as const)('%s has the same views', async (engine) => {
  const { statements, absent } = await engineScript(engine, PLACES);
  expect([...absent.keys()].sort()).toEqual(
    [...(await engineScript('clickhouse', PLACES)).absent.keys()].sort(),
  );
  const place = engine === 'trino' ? "'/a''b/transactions'" : "'/a\\'b/transactions'";
  expect(statements.filter((sql) => sql.includes(place))).toHaveLength(1);
  const quote = engine === 'trino' ? '"' : '`';
  expect(statements.join('\n')).not.toContain(quote === '"' ? '`' : '"');
  // Where views join names under a macro, engines join by equality alone.
  expect(statements.join('\n')).not.toContain('TRUE AND');
});
