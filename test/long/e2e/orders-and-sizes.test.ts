import { afterAll, expect, test } from 'vitest';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import { chainSource } from '../../../src/service/memory/chain-source.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';
import { digestsOf, exportLake, serve, temporaryRoot } from '../../e2e/harness.ts';
import { IS_EXHAUSTIVE } from '../../fixtures/thorough.ts';

const HEAD = IS_EXHAUSTIVE ? 4_345 : 1_045;
const chain = simulatedChain({ seed: 'orders', head: HEAD });
const addresses = [...chain.addresses(12), ...chain.addresses(400).slice(-10)].sort();

const cleanups: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

function requests(pipeline: Pipeline, pageSize: number): Pipeline['requests'] {
  return pipeline.requests.map((request) => ({
    ...request,
    pageSize: Math.min(pageSize, request.pageSize ?? pageSize),
  }));
}

const variations: [string, (pipeline: Pipeline) => Pipeline][] = [
  [
    'pages of 20, newest windows first',
    (pipeline) => ({ ...pipeline, requests: requests(pipeline, 20), order: 'newest-first' }),
  ],
  [
    'pages of 50, groups of 1',
    (pipeline) => ({ ...pipeline, requests: requests(pipeline, 50), groupSize: 1 }),
  ],
  [
    'groups of 7, windows of 777 blocks',
    (pipeline) => ({ ...pipeline, groupSize: 7, windowBlocks: 777 }),
  ],
  ['a record cap of 400', (pipeline) => cap(pipeline, 400)],
];

function cap(pipeline: Pipeline, recordCap: number): Pipeline {
  return { ...pipeline, source: { ...pipeline.source, recordCap } };
}

/** Goal: how a lake was fetched does not show in what it holds. */
test('order, page, group and window sizes, caps and growth give equal digests', async () => {
  const served = await serve(chainSource(chain));
  const capped = await serve(chainSource(chain), { recordCap: 400 });
  cleanups.push(served.close, capped.close);
  const straight = await fresh();
  await exportLake({ url: served.url, root: straight, addresses });
  const expected = await digestsOf(straight);
  expect(Object.keys(expected)).toEqual([
    'internal_transactions',
    'token_transfers',
    'transactions',
  ]);

  for (const [name, change] of variations) {
    const { url } = name.startsWith('a record cap') ? capped : served;
    const root = await fresh();
    const { execution } = await exportLake({ url, root, addresses, change });
    expect(execution, name).toEqual({ failed: [], short: 0, left: 0 });
    expect(await digestsOf(root), name).toEqual(expected);
  }
});

test('a chain that grows between runs ends with the digest of one run', async () => {
  const source = chainSource(simulatedChain({ seed: 'orders', head: 600 }));
  const served = await serve(source);
  cleanups.push(served.close);
  const root = await fresh();
  const lag = (pipeline: Pipeline): Pipeline => ({
    ...pipeline,
    source: { ...pipeline.source, finalityLagBlocks: 300 },
  });
  for (const head of [600, 601, 903, HEAD]) {
    source.growTo(head);
    await exportLake({ url: served.url, root, addresses, change: lag });
  }
  const straight = await fresh();
  await exportLake({ url: served.url, root: straight, addresses });
  expect(await digestsOf(root)).toEqual(await digestsOf(straight));
});

async function fresh(): Promise<string> {
  const { root, remove } = await temporaryRoot();
  cleanups.push(remove);
  return root;
}
