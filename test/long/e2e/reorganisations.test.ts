import { expect, test } from 'vitest';
import { type ChainSource, chainSource } from '../../../service/src/memory/chain-source.ts';
import type { ServiceRequest } from '../../../service/src/protocol/exchange.ts';
import type { ServiceSettings } from '../../../service/src/settings/settings.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { openLake } from '../../../src/land/lake.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { systemEffects } from '../../../src/system.ts';
import { digestsOf, exportLake, rowsOf, type Served, serve } from '../../e2e/harness.ts';
import { CHAINS } from '../../fixtures/chains.ts';
import { pipelineHead } from '../../fixtures/pipeline-head.ts';
import { IS_EXHAUSTIVE } from '../../fixtures/thorough.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

/**
 * Goal: a reorganisation that reaches below the safe height is found by the hashes that runs
 * remember, and after the next run no row of the blocks that went is left in what is complete.
 */

const HEAD = 900;
const LAG = 20;
const PIPELINE = `${pipelineHead('reorganised', LAG)}keys:
  addresses: { list: ["0x0000000000000000000000000000000000000000"] }
  unsettled: { from: [transactions], without: tx_status }
  calls: { from: [internal_transactions] }
blocks: { from: 640, to: safe }
windowBlocks: 100
datasets:
  blocks:
    - { endpoint: mainchain/block/block-fills, blocks: { from: 820, to: safe } }
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
    - { endpoint: mainchain/transaction/transaction-multi, keys: unsettled }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
    - { endpoint: mainchain/transaction/internal-transaction-detail, keys: calls }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20] }
`;

interface World {
  readonly source: ChainSource;
  readonly served: Served;
  export(root: string, text?: string): ReturnType<typeof exportLake>;
}

async function world(
  seed: string,
  settings: ServiceSettings = {},
  zoneStart?: number,
): Promise<World> {
  const zone = zoneStart === undefined ? {} : { zoneStart };
  const chain = simulatedChain({ seed, head: HEAD, ...zone });
  const source = chainSource(chain);
  const served = await serve(source, settings);
  const addresses = chain.addresses(8);
  return {
    source,
    served,
    export: (root, text = PIPELINE) => exportLake({ url: served.url, root, addresses, text }),
  };
}

async function statusesOf(root: string): Promise<Set<string>> {
  const effects = systemEffects('warn');
  const lake = await openLake({ root, chains: CHAINS, run: 'test', effects, disk: localDisk });
  const statuses = new Set((await lake.coverage()).entries().map(({ status }) => status));
  lake.close();
  return statuses;
}

/** The lake holds what one holds that never saw the blocks that went. */
async function expectRepaired(root: string, setup: World): Promise<void> {
  const fresh = await freshFolder();
  await setup.export(fresh);
  expect(await digestsOf(root)).toEqual(await digestsOf(fresh));
  expect(await statusesOf(root)).toEqual(new Set(['complete']));
}

test.each(IS_EXHAUSTIVE ? [30, 300] : [300])(
  'a reorganisation of %i blocks between two runs is repaired by the second',
  async (depth) => {
    const setup = await world(`between ${depth}`);
    const root = await freshFolder();
    const first = await setup.export(root);
    expect(first.plan.slices.length).toBeGreaterThan(5);
    const again = await setup.export(root);
    expect(again.plan.slices).toEqual([]);
    setup.source.reorganise(depth);
    const repaired = await setup.export(root);
    const from = [...repaired.chainCheck.changed.values()];
    expect(Math.max(...from)).toBeLessThanOrEqual(HEAD - depth + 1);
    await expectRepaired(root, setup);
    const quiet = await setup.export(root);
    expect(quiet.plan.slices).toEqual([]);
  },
);

test('crossings whose primary halves went are planned by the run that finds the change', async () => {
  const chain = await world('crossings', {}, HEAD - 60);
  const text = PIPELINE.replace('credentials: none', 'zoneChain: ZONECHAIN\n  credentials: none')
    .replace('windowBlocks', 'zoneBlocks: { from: 0, to: safe }\nwindowBlocks')
    .concat(
      '  cross_chain_transfers:\n    - { endpoint: mainchain/zone/cross/transaction-list }\n',
    );
  const root = await freshFolder();
  await chain.export(root, text);
  const crossings = await rowsOf(root, 'cross_chain_transfers', 'count(*) AS n', 'ZONECHAIN');
  expect(Number(crossings[0]?.['n'])).toBeGreaterThan(0);
  chain.source.reorganise(40);
  const repaired = await chain.export(root, text);
  expect(repaired.plan.slices.map(({ list }) => list.dataset.name)).toContain(
    'cross_chain_transfers',
  );
  expect(await statusesOf(root)).not.toContain('inconsistent');
});

test('a reorganisation while a run goes on is told at its end, and repaired by the next run', async () => {
  let left = 20;
  const before = (_: ServiceRequest): undefined => {
    left -= 1;
    if (left === 0) changing.source.reorganise(200);
    return undefined;
  };
  const changing = await world('during', { before });

  const root = await freshFolder();
  const ran = await changing.export(root);
  expect(left).toBeLessThan(1);
  expect(ran.after?.changed.size).toBe(4);
  expect(await statusesOf(root)).toContain('inconsistent');
  const repaired = await changing.export(root);
  expect(repaired.execution.short).toBe(0);
  await expectRepaired(root, changing);
});

test('rows that were asked by hashes of blocks that went are gone at once', async () => {
  const setup = await world('hashes');
  const root = await freshFolder();
  await setup.export(root);
  const select = `count(*) FILTER (_endpoint = 'mainchain/transaction/transaction-multi' AND block_number >= 700) AS n`;
  const [before] = await rowsOf(root, 'transactions', select);
  expect(Number(before?.['n'])).toBeGreaterThan(5);
  const effects = systemEffects('warn');
  const lake = await openLake({ root, chains: CHAINS, run: 'test', effects, disk: localDisk });
  await lake.table('transactions').reorganised(700);
  const { coverage } = await lake.table('transactions').snapshot();
  lake.close();
  const [after] = await rowsOf(root, 'transactions', select);
  expect(Number(after?.['n'])).toBe(0);
  const parts = coverage.entries().filter(({ endpoint }) => endpoint.endsWith('transaction-multi'));
  // Complete look-ups have one entry for all hashes.
  expect(parts.length).toBeGreaterThan(0);
  expect(
    parts.filter(({ to, endpoint }) => endpoint.includes('/transaction/') && to >= 700),
  ).toEqual([]);
});

test('a data root of another chain is refused, and nothing of it is lost', async () => {
  const root = await freshFolder();
  await (await world('one')).export(root);
  const held = await digestsOf(root);
  await expect((await world('other')).export(root)).rejects.toThrow('another chain');
  expect(await digestsOf(root)).toEqual(held);
});
