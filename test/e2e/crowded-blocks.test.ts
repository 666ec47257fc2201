import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { query } from '../../src/load/query/query.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { exportLake, serve, temporaryRoot } from './harness.ts';

const HEAD = 300;
const BLOCKS = { from: 145, to: 185 };
const RECORD_CAP = 9;
const chain = simulatedChain({ seed: 'crowded', head: HEAD });

const cleanups: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

async function lakeOf(recordCap: number) {
  const served = await serve(chainSource(chain), { recordCap });
  const { root, remove } = await temporaryRoot();
  cleanups.push(served.close, remove);
  const text = await readFile(
    new URL('../../pipelines/chain-blocks.yaml', import.meta.url),
    'utf8',
  );
  const change = (pipeline: Pipeline): Pipeline => ({
    ...pipeline,
    source: { ...pipeline.source, recordCap, rate: { startPerSecond: 5000, maxPerSecond: 5000 } },
    blocks: BLOCKS,
  });
  const { execution, checks } = await exportLake({
    url: served.url,
    root,
    addresses: [],
    text,
    change,
  });
  const warehouse = `${root}/warehouse.duckdb`;
  const rows = async (view: string) => {
    const columns = 'block_number, tx_hash, from_address, to_address, amount_text';
    const of = `SELECT ${columns}, count(*) AS copies FROM ${view} GROUP BY ALL ORDER BY ALL`;
    return (await query(warehouse, of, { maxRows: 100_000 })).rows;
  };
  const count = async (sql: string) => (await query(warehouse, sql)).rows[0]?.['n'];
  return { execution, checks, rows, count };
}

/**
 * Goal: a block with more records than the service lists of it is completed through its
 * transactions, and the views and checks take that for what it is.
 */
test('a crowded block is read through the hashes of its transactions', async () => {
  const whole = await lakeOf(10_000);
  const capped = await lakeOf(RECORD_CAP);
  expect(capped.execution).toEqual({ failed: [], short: 1, left: 0 });
  const cutOff = `SELECT count(*) AS n FROM lake.coverage
    WHERE status = 'truncated' AND dataset IN ('token_transfers', 'internal_transactions')`;
  expect(Number(await whole.count(cutOff))).toBe(0);
  expect(Number(await capped.count(cutOff))).toBeGreaterThan(2);
  for (const view of ['token_transfers', 'internal_transactions']) {
    expect((await capped.rows(view)).length, view).toBeGreaterThan(20);
    expect(await capped.rows(view), view).toEqual(await whole.rows(view));
  }
  // One transaction of block 150 has as many calls as are listed at most, so nobody knows.
  const unfinished = capped.checks.find(({ check }) => check === 'not_complete');
  expect(unfinished?.findings.map((row) => [row['dataset'], row['key']])).toEqual([
    ['internal_transactions', ''],
    ['internal_transactions', expect.stringMatching(/^0x/)],
  ]);
});
