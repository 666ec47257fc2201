import { expect, test } from 'vitest';
import { lakeSource } from '../../../service/src/lake/lake-source.ts';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import type { Source } from '../../../service/src/protocol/source.ts';
import { createService } from '../../../service/src/server/service.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { systemEffects } from '../../../src/system.ts';
import { digestsOf, exportLake, rowsOf, serve, temporaryRoot } from '../../e2e/harness.ts';
import { IS_EXHAUSTIVE } from '../../fixtures/thorough.ts';
import { whenOver } from '../../fixtures/when-over.ts';

/**
 * Goal: what was exported of whole blocks, served again from the lake and exported from there, is
 * the same, dataset for dataset, although many records are blended from what several endpoints
 * said of them.
 */

const HEAD = IS_EXHAUSTIVE ? 3_000 : 2_860;
const ZONE_START = 2_799;
const WHOLE_FROM = IS_EXHAUSTIVE ? 2_700 : HEAD - 20;
/** The first of the 200 newest zone blocks. */
const ZONE_DETAILS_FROM = (HEAD - ZONE_START) * 60 - 260;

const PIPELINE = `version: 1
name: round-trip
source:
  url: http://127.0.0.1:1
  chain: MAINCHAIN
  credentials: none
  finalityLagBlocks: 0
  finalityLagZoneBlocks: 0
  rate: { startPerSecond: 5000, maxPerSecond: 5000 }
keys:
  actions: { from: [zone_transactions], by: [mainchain/zone/block/transaction-list-multi] }
  crossings: { from: [cross_chain_transfers], by: [mainchain/zone/cross/transaction-list] }
blocks: { from: ${WHOLE_FROM}, to: head }
zoneBlocks: { to: head }
commit: { rows: 50000, slices: 500, seconds: 60 }
datasets:
  blocks:
    - { endpoint: mainchain/block/block-list, blocks: { from: 0, to: head } }
    - { endpoint: mainchain/block/block-fills }
  transactions:
    - { endpoint: mainchain/block/transaction-list }
  internal_transactions:
    - { endpoint: mainchain/block/transaction-list }
  token_transfers:
    - endpoint: mainchain/block/transaction-list
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
  native_holders:
    - { endpoint: mainchain/address/native-token-position-list }
  zone_blocks:
    - { endpoint: mainchain/zone/block/block-list }
  zone_transactions:
    - { endpoint: mainchain/zone/block/transaction-list-multi }
    - endpoint: mainchain/zone/transaction/transaction-fills
      keys: actions
      blocks: { from: ${ZONE_DETAILS_FROM}, to: head }
  cross_chain_transfers:
    - { endpoint: mainchain/zone/cross/transaction-list }
    - { endpoint: mainchain/zone/cross/transaction-multi, keys: crossings }
`;

const DATASETS = [
  'blocks',
  'cross_chain_transfers',
  'internal_transactions',
  'native_holders',
  'token_transfers',
  'transactions',
  'zone_blocks',
  'zone_transactions',
];

test('an export from a served lake equals the export that made it, in every dataset', async () => {
  const chain = simulatedChain({ seed: 'second mowing', head: HEAD, zoneStart: ZONE_START });
  const first = await exported(chainSource(chain));
  const lake = await lakeSource({ root: first.root, effects: systemEffects('warn') });
  whenOver(() => lake.close());
  expect(lake.head('primary')).toBe(HEAD);
  expect(lake.head('zone')).toBe(chain.zone.headAt(HEAD));

  for (const height of [HEAD - 1, HEAD - 20]) {
    for (const protocolType of ['transaction', 'internal', 'token_20']) {
      const path = 'mainchain/block/transaction-list';
      const asked = { height: String(height), protocolType, limit: '100' };
      expect(await answerOf(lake, path, asked)).toBe(
        await answerOf(chainSource(chain), path, asked),
      );
    }
  }

  const second = await exported(lake);
  expect(Object.keys(second.digests).sort()).toEqual(DATASETS);
  expect(second.digests).toEqual(first.digests);
  for (const dataset of DATASETS) {
    const chainName =
      dataset.startsWith('zone') || dataset.startsWith('cross') ? 'ZONECHAIN' : undefined;
    const [count] = await rowsOf(second.root, dataset, 'count(*) AS rows', chainName);
    expect(Number(count?.['rows']), dataset).toBeGreaterThan(10);
  }
});

/** The body of a service's answer, to the byte. */
async function answerOf(source: Source, path: string, query: Readonly<Record<string, string>>) {
  const search = new URLSearchParams({ chainShortName: 'MAINCHAIN', ...query });
  const target = `/api/v5/${path}?${search}`;
  const service = createService({ source, effects: systemEffects('warn') });
  const { body } = await service.answer({ method: 'GET', target, headers: {}, body: '' });
  expect(body).toContain('"code":"0"');
  return body;
}

async function exported(source: Parameters<typeof serve>[0]) {
  const served = await serve(source);
  const { root, remove } = await temporaryRoot();
  whenOver(remove, served.close);
  const ran = await exportLake({ url: served.url, root, addresses: [], keys: {}, text: PIPELINE });
  expect(ran.execution).toEqual({ failed: [], short: 0, left: 0 });
  return { root, digests: await digestsOf(root) };
}
