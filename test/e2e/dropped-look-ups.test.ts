import { cp } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { type ChainSource, chainSource } from '../../service/src/memory/chain-source.ts';
import { parseFaultPlan } from '../../service/src/settings/fault-plan.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { exportLake, PIPELINE, rowsOf, serve } from './harness.ts';

/**
 * Goal: transactions that leave the chain before their blocks are final leave the lake, together
 * with the rows of their look-ups by hash, which are looked up again. The rows of transactions that
 * are on the chain stay, also where only other pipelines or no list names them.
 */

const LAG = 64;
const FIRST_HEAD = 400;
const LATER_HEAD = 500;
const FIRST_SAFE = FIRST_HEAD + 1 - LAG;
const SAFE = LATER_HEAD + 1 - LAG;
const E12 = 'mainchain/address/normal-transaction-list-multi';
const E15 = 'mainchain/transaction/transaction-multi';

const [transactions = ''] = PIPELINE.split('  internal_transactions:');
const text = transactions
  .replace('finalityLagBlocks: 0', `finalityLagBlocks: ${LAG}`)
  .replace('blocks:', `  hashes: { from: [transactions], by: [${E12}] }\nblocks:`)
  .concat(`    - { endpoint: ${E15}, keys: hashes }\n`);

/** A data root after a run for all addresses, of which tests use copies. */
const original = await freshFolder();
beforeAll(async () => {
  const { root, addresses, run } = await world('empty');
  await run(addresses);
  await cp(root, original, { recursive: true });
});

interface World {
  readonly root: string;
  readonly source: ChainSource;
  readonly addresses: readonly string[];
  /** Runs the pipeline against a service over the chain; with the faults of a plan, if given. */
  run(addresses: readonly string[], faults?: string): Promise<unknown>;
  /** The hashes of the list's rows from the first safe height to another one, by default SAFE. */
  hashes(endpoint: string, below?: number): Promise<unknown[]>;
}

async function world(start: 'after a run' | 'empty'): Promise<World> {
  const chain = simulatedChain({ seed: 'dropped look-ups', head: FIRST_HEAD });
  const source = chainSource(chain);
  const root = await freshFolder();
  if (start === 'after a run') await cp(original, root, { recursive: true });
  const landed = `_endpoint AS endpoint, tx_hash, block_number`;
  return {
    root,
    source,
    addresses: chain.addresses(4),
    run: async (addresses, faults) => {
      const plan = faults && { faults: parseFaultPlan({ text: faults, file: 'faults.yaml' }) };
      const served = await serve(source, plan || {});
      return exportLake({ url: served.url, root, addresses, text });
    },
    hashes: async (wanted, below = SAFE) => {
      const rows = await rowsOf(root, 'transactions', landed);
      return rows
        .filter(({ endpoint }) => endpoint === wanted)
        .filter(({ block_number: at }) => Number(at) >= FIRST_SAFE && Number(at) < below)
        .map(({ tx_hash: hash }) => hash)
        .sort();
    },
  };
}

test('rows of look-ups of transactions that left go as soon as their blocks are final', async () => {
  const { source, addresses, run, hashes } = await world('after a run');
  const head = FIRST_HEAD + 50;
  const safe = head + 1 - LAG;
  const before = await hashes(E15, safe);
  source.reorganise(60);
  source.growTo(head);
  await run(addresses);
  const after = await hashes(E12, safe);
  expect(before.some((hash) => !after.includes(hash))).toBe(true);
  expect(await hashes(E15, safe)).toEqual(after);
});

test('look-ups of hashes in rows that only other pipelines requested stay', async () => {
  const { source, addresses, run, hashes } = await world('empty');
  await run(addresses.slice(0, 2));
  const before = await hashes(E15);
  source.growTo(LATER_HEAD);
  await run(addresses.slice(2));
  expect(before.length).toBeGreaterThan(0);
  expect(await hashes(E15)).toEqual(expect.arrayContaining(before));
});

test('look-ups of hashes that a list may have lost stay', async () => {
  const { source, addresses, run, hashes } = await world('after a run');
  const before = await hashes(E15);
  source.growTo(LATER_HEAD);
  await run(addresses, 'faults: [{ fault: drop-field, field: from, at: "mainchain/address/*" }]');
  expect(before.length).toBeGreaterThan(0);
  expect(await hashes(E12)).toEqual([]);
  expect(await hashes(E15)).toEqual(before);
  await run(addresses);
  expect(await hashes(E15)).toEqual(await hashes(E12));
});
