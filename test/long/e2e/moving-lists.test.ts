import { afterAll, expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { exportLake, rowsOf, serve, temporaryRoot } from '../../e2e/harness.ts';
import { CHAINS } from '../../fixtures/chains.ts';

/**
 * Goal: lists that run newest first move while they are read. Whatever is added in front of them,
 * every record up to the head at the start lands once, and nothing else does.
 */

const HEAD = 3_000;
const ZONE_START = 2_900;
const ZONE_BLOCKS_PER_BLOCK = 120;
const chain = simulatedChain({ seed: 'moving', head: HEAD, zoneStart: ZONE_START });

const cleanups: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

function pipeline(dataset: string, request: string): string {
  return `version: 1
name: moving
source:
  url: http://127.0.0.1:1
  chain: MAINCHAIN
  credentials: none
  finalityLagBlocks: 0
  finalityLagZoneBlocks: 0
  rate: { startPerSecond: 5000, maxPerSecond: 5000 }
keys:
  tokens: { list: ["0x0000000000000000000000000000000000000000"] }
blocks: { to: head }
zoneBlocks: { to: head }
datasets:
  ${dataset}:
    - ${request}
`;
}

const range = (last: number): number[] => Array.from({ length: last + 1 }, (_, height) => height);

function transfersUpTo(head: number): CanonicalRecord[] {
  return range(head).flatMap((height) => chain.recordsAt(height).token_transfers);
}

/** The newest token to have moved, and how often it has. */
const token = String(transfersUpTo(HEAD).at(-1)?.['token_address']);
const times = transfersUpTo(HEAD).filter((record) => record['token_address'] === token).length;

test.each([
  {
    dataset: 'zone_blocks',
    request: '{ endpoint: mainchain/zone/block/block-list }',
    advance: 10 / ZONE_BLOCKS_PER_BLOCK,
    column: 'block_hash',
    expected: (head: number) =>
      range(head).flatMap((height) => chain.zone.recordsAt(height).zone_blocks),
  },
  {
    dataset: 'blocks',
    request: '{ endpoint: mainchain/block/block-list }',
    advance: 10,
    column: 'block_hash',
    expected: (head: number) => range(head).flatMap((height) => chain.recordsAt(height).blocks),
  },
  {
    dataset: 'token_transfers',
    request: '{ endpoint: mainchain/token/transaction-list, keys: tokens }',
    // Some ten transfers of this token happen in so many blocks.
    advance: Math.ceil((10 * HEAD) / times),
    column: 'tx_hash',
    expected: (head: number) =>
      transfersUpTo(head).filter((record) => record['token_address'] === token),
  },
])('$dataset, while ten records come with every request', async (of) => {
  const served = await serve(chainSource(chain, { advancePerRequest: of.advance }));
  const { root, remove } = await temporaryRoot();
  cleanups.push(served.close, remove);
  const ran = await exportLake({
    url: served.url,
    root,
    addresses: [],
    keys: { tokens: [token] },
    text: pipeline(of.dataset, of.request),
  });
  expect(ran.execution).toEqual({ failed: [], short: 0, left: 0 });
  const axis = of.dataset.startsWith('zone') ? 'zone' : 'primary';
  // The first request already moved the head that it was answered with.
  const head = ran.plan.heads[axis]?.head ?? -1;
  const rows = await rowsOf(root, of.dataset, of.column, CHAINS[axis]);
  const expected = of.expected(head).map((record) => String(record[of.column]));
  expect(expected.length).toBeGreaterThan(500);
  expect(rows.map((row) => String(row[of.column])).sort()).toEqual(expected.sort());
});
