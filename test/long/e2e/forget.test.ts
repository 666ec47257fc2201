import { afterAll, beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import type { CoverageEntry } from '../../../src/coverage/coverage.ts';
import { type Lake, openLake } from '../../../src/land/lake.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import { executeForget } from '../../../src/run/maintain/forget.ts';
import { type ForgetPlan, planForget } from '../../../src/run/maintain/forget-plan.ts';
import { systemEffects } from '../../../src/system.ts';
import { digestsOf, exportLake, type Served, serve, temporaryRoot } from '../../e2e/harness.ts';
import { CHAINS } from '../../fixtures/chains.ts';

/**
 * Goal: with its pipelines, a lake that forgets an address is the lake for which it was never
 * requested, look-ups included. Token transfers name hashes of the address, too, but the pipeline
 * takes no hash from them. Look-ups that other pipelines need are done again by their next run.
 */

const NORMAL = 'mainchain/address/normal-transaction-list-multi';
const INTERNAL = 'mainchain/address/internal-transaction-list-multi';

/** A pipeline that takes hashes of transactions from these lists. */
const pipelineBy = (lists: readonly string[]): string => `version: 1
name: forgotten
source:
  url: http://127.0.0.1:1
  chain: MAINCHAIN
  credentials: none
  finalityLagBlocks: 20
  rate: { startPerSecond: 5000, maxPerSecond: 5000 }
keys:
  addresses: { list: ["0x0000000000000000000000000000000000000000"] }
  unsettled: { from: [transactions, internal_transactions], by: [${lists.join(', ')}] }
  calls: { from: [internal_transactions] }
blocks: { from: 300, to: safe }
datasets:
  transactions:
    - { endpoint: ${NORMAL}, keys: addresses }
    - { endpoint: mainchain/transaction/transaction-multi, keys: unsettled }
  internal_transactions:
    - { endpoint: ${INTERNAL}, keys: addresses }
    - { endpoint: mainchain/transaction/internal-transaction-detail, keys: calls }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
`;

const WHOLE = pipelineBy([NORMAL, INTERNAL]);

const cleanups: (() => Promise<void>)[] = [];
const chain = simulatedChain({ seed: 'forget', head: 700 });
const [FORGOTTEN = '', ...OTHERS] = chain.addresses(8);
let served: Served;
/** A lake for which the address was never requested. */
let fresh = '';
beforeAll(async () => {
  served = await serve(chainSource(chain), {});
  cleanups.push(served.close);
  fresh = await exported(OTHERS);
});
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

const run = (root: string, addresses: readonly string[]) =>
  exportLake({ url: served.url, root, addresses, text: WHOLE });

async function exported(addresses: readonly string[]): Promise<string> {
  const { root, remove } = await temporaryRoot();
  cleanups.push(remove);
  await run(root, addresses);
  return root;
}

async function inLake<T>(root: string, use: (lake: Lake) => Promise<T>): Promise<T> {
  const effects = systemEffects('warn');
  const lake = await openLake({ root, chains: CHAINS, run: 'test', effects, disk: localDisk });
  try {
    return await use(lake);
  } finally {
    lake.close();
  }
}

const forget = (root: string, ...texts: string[]): Promise<ForgetPlan> =>
  inLake(root, async (lake) => {
    const pipelines = texts.map((text) => parsePipeline({ text, file: 'e2e.yaml' }));
    const plan = await planForget(lake, localDisk, FORGOTTEN, pipelines);
    await executeForget({ lake, disk: localDisk, effects: systemEffects('warn') }, plan);
    return plan;
  });

/** Rows and covered keys of all tables. */
async function contentOf(root: string) {
  const spelled = ({ endpoint, variant, key, from, to, status }: CoverageEntry): string =>
    `${endpoint} ${variant} ${key} ${from}-${to} ${status}`;
  const coverage = await inLake(root, async (lake) => (await lake.coverage()).entries());
  return { digests: await digestsOf(root), coverage: coverage.map(spelled).sort() };
}

const keptBy = ({ kept }: ForgetPlan): number => kept.reduce((sum, { keys }) => sum + keys, 0);

test('with its pipeline, no look-up is left that only the address caused', async () => {
  const root = await exported([FORGOTTEN, ...OTHERS]);
  const plan = await forget(root, WHOLE);
  expect(keptBy(plan)).toBeGreaterThan(5);
  expect(await contentOf(root)).toEqual(await contentOf(fresh));
  expect((await run(root, OTHERS)).plan.slices).toEqual([]);
});

test('without it, look-ups stay whose hashes any other row names, and are counted', async () => {
  const root = await exported([FORGOTTEN, ...OTHERS]);
  const plan = await forget(root);
  const left = (await contentOf(root)).coverage;
  const expected = (await contentOf(fresh)).coverage;
  expect(left).toEqual(expect.arrayContaining(expected));
  const more = left.length - expected.length;
  expect(more).toBeGreaterThan(5);
  expect(keptBy(plan)).toBeGreaterThan(more);
});

test('look-ups that another pipeline needs are done again by its next run', async () => {
  const root = await exported([FORGOTTEN, ...OTHERS]);
  await forget(root, pipelineBy([INTERNAL]));
  expect(await digestsOf(root)).not.toEqual(await digestsOf(fresh));
  expect((await run(root, OTHERS)).plan.slices.length).toBeGreaterThan(0);
  expect(await contentOf(root)).toEqual(await contentOf(fresh));
});
