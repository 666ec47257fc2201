import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { layout } from '../../src/land/storage/layout.ts';
import { query } from '../../src/load/query/query.ts';
import type { TokenName } from '../../src/pipeline/csv/name-files.ts';
import { pipelineHead } from '../fixtures/pipeline-head.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { PATTERNS } from '../model/familiar/patterns.ts';
import { type Truth, truthOf } from '../model/familiar/truth.ts';
import { comparable, exportLake, serve } from './harness.ts';

/**
 * Goal: queries that people wrote for Dune, BigQuery and Etherscan run unchanged, and their answers
 * are those of the chain.
 */

const LAST = 150;
const chain = simulatedChain({ seed: 'familiar', head: 200, zoneStart: 190 });
const fungible = chain.tokens.filter(({ decimals }) => decimals !== undefined);
const decimals = new Map(fungible.map((token) => [token.address, token.decimals ?? 0]));
const tokens = new Map<string, TokenName>(
  fungible.map(({ address, symbol, decimals: places = 0 }) => {
    return [address, { symbol, decimals: places, amounts: 'whole' }];
  }),
);
const methods = new Map([['0xa9059cbb', 'transfer']]);
const PIPELINE = `${pipelineHead('familiar', 0)}keys: { every: { from: [transactions] } }
blocks: { from: 0, to: ${LAST} }
datasets:
  blocks:
    - endpoint: mainchain/block/block-fills
  transactions:
    - endpoint: mainchain/block/transaction-list
    - { endpoint: mainchain/transaction/transaction-multi, keys: every }
  internal_transactions:
    - endpoint: mainchain/block/transaction-list
    - { endpoint: mainchain/transaction/internal-transaction-detail, keys: every }
  token_transfers:
    - endpoint: mainchain/block/transaction-list
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
`;

let truth: Truth;
let warehouse = '';
let again: readonly string[] = [];
beforeAll(async () => {
  const [address = ''] = chain.addresses(1);
  const token = fungible.find(({ symbol }) => symbol === 'HAY')?.address ?? '';
  truth = truthOf(chain, LAST, { address, token, methods }, decimals);
  const served = await serve(chainSource(chain));
  const root = await freshFolder();
  const names = { tokens, methods };
  const options = { url: served.url, root, addresses: [], names, text: PIPELINE };
  const ran = await exportLake(options);
  expect(ran.execution).toEqual({ failed: [], short: 0, left: 0 });
  served.targets.length = 0;
  await exportLake(options);
  again = served.targets.filter((target) => target.includes('txId='));
  warehouse = layout(root).warehouse;
});

test('no transaction is looked up again, also none without internal ones', () => {
  expect(again).toEqual([]);
});

test('there are at least 20 patterns, of all three sites', () => {
  const sites = Object.keys(PATTERNS).map((name) => name.replace(/:.*/, ''));
  expect(sites.length).toBeGreaterThanOrEqual(20);
  expect(new Set(sites)).toEqual(new Set(['BigQuery', 'Dune', 'Etherscan']));
});

test.each(Object.entries(PATTERNS))('%s', async (_, { sql, rows }) => {
  const { address, token } = truth;
  const question = sql.replaceAll('ADDRESS', address).replaceAll("'TOKEN'", `'${token}'`);
  const answer = await query(warehouse, question, { maxRows: 1_000_000 });
  const expected = comparable(rows(truth));
  expect(expected.length).toBeGreaterThan(0);
  expect(comparable(answer.rows.map((row) => Object.values(row)))).toEqual(expected);
});
