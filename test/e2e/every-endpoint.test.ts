import { expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { datasetNamed, datasetOf, endpointAt } from '../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import { filtersIn, listKey } from '../../src/coverage/list.ts';
import { pipelineHead } from '../fixtures/pipeline-head.ts';
import { IS_EXHAUSTIVE } from '../fixtures/thorough.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { ChainTruth } from '../model/chain-truth.ts';
import { exportLake, serve } from './harness.ts';
import { digestOf, type ListOfLake, landedLines, lineOf } from './landed-lists.ts';

/**
 * Goal: for every list that a pipeline can ask, what is in the lake is exactly what the chain holds,
 * row for row and copy for copy. The chain of the second seed was never looked at while this was
 * built.
 */

const HEAD = 500;
const ZONE_START = 440;
const WHOLE_FROM = 460;

const PIPELINE = `${pipelineHead('every-endpoint', 20)}  finalityLagZoneBlocks: 200
keys:
  addresses: { list: ["0x0000000000000000000000000000000000000000"] }
  tokens: { list: ["0x0000000000000000000000000000000000000000"] }
  activity:
    from: [transactions, internal_transactions]
    by:
      - mainchain/address/normal-transaction-list-multi
      - mainchain/address/internal-transaction-list-multi
  calls:
    from: [internal_transactions]
    by: [mainchain/address/internal-transaction-list-multi]
  transfers: { from: [token_transfers], by: [mainchain/token/transaction-list] }
  actions: { from: [zone_transactions], by: [mainchain/zone/block/transaction-list-multi] }
  crossings: { from: [cross_chain_transfers] }
commit: { rows: 50000, slices: 500, seconds: 60 }
datasets:
  blocks:
    - { endpoint: mainchain/block/block-list, blocks: { from: ${WHOLE_FROM} } }
    - { endpoint: mainchain/block/block-fills, blocks: { from: ${WHOLE_FROM} } }
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
    - { endpoint: mainchain/address/normal-transaction-list, keys: addresses }
    - { endpoint: mainchain/block/transaction-list, blocks: { from: ${WHOLE_FROM} } }
    - { endpoint: mainchain/transaction/transaction-multi, keys: activity }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
    - { endpoint: mainchain/block/transaction-list, blocks: { from: ${WHOLE_FROM} } }
    - { endpoint: mainchain/transaction/internal-transaction-detail, keys: calls }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
    - endpoint: mainchain/block/transaction-list
      blocks: { from: ${WHOLE_FROM} }
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
    - { endpoint: mainchain/token/transaction-list, keys: tokens }
    - endpoint: mainchain/transaction/token-transfer-multi
      keys: transfers
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
  native_holders:
    - endpoint: mainchain/address/native-token-position-list
  zone_blocks:
    - endpoint: mainchain/zone/block/block-list
  zone_transactions:
    - endpoint: mainchain/zone/block/transaction-list-multi
    - { endpoint: mainchain/zone/address/transaction-list, keys: addresses }
    - { endpoint: mainchain/zone/block/transaction-list, blocks: { from: 200, to: 599 } }
    - endpoint: mainchain/zone/transaction/transaction-fills
      keys: actions
      blocks: { from: 3000, to: 3999 }
  cross_chain_transfers:
    - endpoint: mainchain/zone/cross/transaction-list
    - { endpoint: mainchain/zone/cross/transaction-list, keys: addresses }
    - { endpoint: mainchain/zone/cross/transaction-multi, keys: crossings }
    - endpoint: mainchain/zone/cross/transaction-fills
      keys: crossings
      blocks: { from: 1000, to: 4999 }
`;

const SEEDS = ['a seed that nobody tried before', ...(IS_EXHAUSTIVE ? ['hayfield'] : [])];

test.each(SEEDS)('every list of the chain "%s" lands as the chain holds it', async (seed) => {
  const chain = simulatedChain({ seed, head: HEAD, zoneStart: ZONE_START });
  const addresses = [...chain.addresses(5), ...chain.addresses(60).slice(-3)].sort();
  const tokens = tokensOf(chain.recordsAt(HEAD - 30).token_transfers);
  const served = await serve(chainSource(chain));
  const root = await freshFolder();
  const ran = await exportLake({
    url: served.url,
    root,
    addresses,
    text: PIPELINE,
    keys: { tokens: [...tokens] },
  });
  expect(ran.execution).toEqual({ failed: [], short: 0, left: 0 });
  const errors = ran.checks.filter((rule) => rule.severity === 'error' && rule.findings.length > 0);
  expect(errors).toEqual([]);

  const safe = HEAD - 20 - 1;
  const zoneSafe = chain.zone.headAt(HEAD) - 200 - 1;
  const truth = new ChainTruth({
    chain,
    addresses: new Set(addresses),
    tokens,
    blocks: { from: 0, to: safe },
    zoneBlocks: { from: 0, to: zoneSafe },
    wholeBlocks: { from: WHOLE_FROM, to: safe },
    head: HEAD,
  });
  let lists = 0;
  for (const request of ran.plan.requests) {
    const list = request.list;
    const { interval } = request;
    const expected = truth
      .rowsOf(list.endpoint, list.variant)
      .filter((record) => liesIn(record, list, interval));
    const landed = await landedLines(root, list);
    const name = listKey(list);
    const wanted = expected.map((record) => lineOf(record, list));
    expect(landed.length, name).toBe(wanted.length);
    expect(digestOf(landed), name).toBe(digestOf(wanted));
    if (wanted.length > 0) lists += 1;
  }
  expect(ran.plan.requests.length).toBe(32);
  // A token standard may have no transfer of the tokens asked; everything else has records.
  expect(lists).toBeGreaterThan(26);

  const again = await exportLake({
    url: served.url,
    root,
    addresses,
    text: PIPELINE,
    keys: { tokens: [...tokens] },
  });
  expect(again.plan.slices).toEqual([]);
});

/** The two contracts that the most of these records name. */
function tokensOf(records: readonly CanonicalRecord[]): ReadonlySet<string> {
  const tokens = [...new Set(records.map((record) => String(record['token_address'])))];
  return new Set(tokens.slice(0, 2));
}

function liesIn(
  record: CanonicalRecord,
  { endpoint, variant }: ListOfLake,
  interval: { readonly from: number; readonly to: number } | undefined,
): boolean {
  const dataset = datasetOf(endpointAt(endpoint), filtersIn(variant));
  const height = Number(record[datasetNamed(dataset).heightColumn]);
  return interval !== undefined && interval.from <= height && height <= interval.to;
}
