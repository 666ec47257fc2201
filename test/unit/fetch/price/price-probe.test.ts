import { describe, expect, it } from 'vitest';
import { chainSource } from '../../../../service/src/memory/chain-source.ts';
import { createService } from '../../../../service/src/server/service.ts';
import { simulatedChain } from '../../../../service/src/simulated/chain.ts';
import { endpointAt } from '../../../../src/catalogue/index.ts';
import { Coverage } from '../../../../src/coverage/coverage.ts';
import type { Densities } from '../../../../src/coverage/density.ts';
import { listKey } from '../../../../src/coverage/list.ts';
import { CallFailure } from '../../../../src/fetch/http/call-failure.ts';
import type { Caller } from '../../../../src/fetch/http/caller.ts';
import { probePlan } from '../../../../src/fetch/price/price-probe.ts';
import { fairShares, spread } from '../../../../src/fetch/price/sample.ts';
import { parsePipeline } from '../../../../src/pipeline/read-pipeline.ts';
import { estimate, walkRequests } from '../../../../src/plan/estimate.ts';
import { planSlices } from '../../../../src/plan/slices.ts';
import { inProcessCaller } from '../../../fixtures/in-process.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';

/** Goal: a few first pages price a first run, and the probe is small and repeatable. */

const HEAD = 600;
const chain = simulatedChain({ seed: 'probe', head: HEAD });
const addresses = [...chain.addresses(6)].sort();
const PIPELINE = `version: 1
name: probe
source: { url: "http://127.0.0.1:1", chain: MAINCHAIN, credentials: none }
keys:
  all: { list: ["0x0000000000000000000000000000000000000000"] }
  unsettled: { from: [transactions, internal_transactions], without: tx_status }
datasets:
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: all, pageSize: 50 }
    - { endpoint: mainchain/transaction/transaction-multi, keys: unsettled }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: all }
  token_transfers:
    - { endpoint: mainchain/address/token-transaction-list, keys: all, each: { protocolType: [token_20] } }
`;
const pipeline = parsePipeline({ text: PIPELINE, file: 'probe.yaml' });
const none: Densities = new Map();

function planOf() {
  return planSlices({
    pipeline,
    keys: { all: addresses },
    heads: { primary: { head: HEAD, safe: HEAD } },
    rowKeys: new Map(),
    coverage: new Coverage(),
    densities: none,
    nowMs: 0,
  });
}

const service = createService({ source: chainSource(chain), effects: quietEffects() });

/** Probes a service that may refuse an endpoint, and keeps the requests. */
async function probed(seed: string, densities = none, refused = '') {
  const requests: string[] = [];
  const caller = inProcessCaller(service);
  const watched: Caller = {
    call: async (endpoint, query, options) => {
      requests.push(`${endpoint.path} ${JSON.stringify(query)}`);
      if (endpoint.path === refused) {
        throw new CallFailure('permanent', { code: '50036', endpoint: refused, detail: 'no' });
      }
      return caller.call(endpoint, query, options);
    },
  };
  const plan = planOf();
  const input = { caller: watched, plan, pipeline, densities, seed, signal: undefined };
  return { plan, requests, probed: await probePlan(input) };
}

const isOfAny = (record: Readonly<Record<string, unknown>>): boolean =>
  addresses.some((key: string) => [record['from_address'], record['to_address']].includes(key));

describe('a probe', () => {
  it('estimates the rows of a list, and the keys that they name', async () => {
    const { plan, probed: probe } = await probed('a');
    const records = Array.from({ length: HEAD }, (_, height) => chain.recordsAt(height));
    const transactions = records.flatMap((block) => block.transactions).filter(isOfAny);
    const calls = records.flatMap((block) => block.internal_transactions).filter(isOfAny);
    const hashes = new Set([...transactions, ...calls].map((row) => row['tx_hash']));
    const priced = estimate(plan, none, 10, 0, probe);
    const rowsOf = (path: string): number =>
      priced.requests.find(({ list: { endpoint } }) => endpoint === path)?.price.rows ?? 0;
    const expectNear = (value: number, truth: number): void => {
      expect(Math.abs(value / truth - 1), `${value} for ${truth}`).toBeLessThan(0.15);
    };
    expectNear(rowsOf('mainchain/address/normal-transaction-list-multi'), transactions.length);
    expectNear(rowsOf('mainchain/address/internal-transaction-list-multi'), calls.length);
    expectNear(rowsOf('mainchain/transaction/transaction-multi'), hashes.size);
    expect(priced.total.rows).toBeDefined();
  });

  it('requests few first pages, and the same ones for the same seed', async () => {
    const { requests, plan, probed: probe } = await probed('a');
    const bound = plan.slices.length + 2 * 48 + 10;
    expect(requests.length).toBeLessThanOrEqual(bound);
    expect(probe.requests).toBe(requests.length);
    expect(requests.every((text) => !/"page":"(?!1")/.test(text))).toBe(true);
    expect((await probed('a')).requests).toEqual(requests);
    expect((await probed('b')).requests).not.toEqual(requests);
  });

  it('sends no request for lists with a known density', async () => {
    const walked = { slices: 1, requests: 3, keyBlocks: 10 };
    const density = { rows: 5, keyBlocks: 10, bytesPerRow: 1, walked };
    const densities = new Map(planOf().requests.map((entry) => [listKey(entry.list), density]));
    const { requests, probed: probe } = await probed('a', densities);
    expect(requests).toEqual([]);
    expect(probe.requests).toBe(0);
  });

  it('skips a list that the service refuses, whose price stays a lower bound', async () => {
    const path = 'mainchain/address/token-transaction-list';
    const { plan, probed: probe } = await probed('a', none, path);
    const priced = estimate(plan, none, 10, 0, probe);
    const list = priced.requests.find(({ list: { endpoint } }) => endpoint === path);
    expect(list?.price).toMatchObject({ requests: 6, rows: undefined });
    expect(priced.total.rows).toBeUndefined();
  });
});

describe('a walk takes one request for a page, and for several pages', () => {
  const counted = (path: string): number[] =>
    [0, 1, 100, 101, 250, 1000].map((records) => walkRequests(endpointAt(path), records, 100));

  it.each([
    ['these alone', 'mainchain/address/normal-transaction-list-multi', [1, 1, 1, 2, 3, 10]],
    ['each of them twice', 'mainchain/block/transaction-list', [1, 1, 1, 4, 6, 20]],
    ['two more where the list moves', 'mainchain/block/block-list', [1, 1, 1, 3, 5, 12]],
    [
      'two more after the last full one',
      'mainchain/zone/block/transaction-list-multi',
      [3, 3, 3, 4, 5, 12],
    ],
  ])('%s', (_name, path, expected) => {
    expect(counted(path)).toEqual(expected);
  });
});

it('a budget is shared fairly: small lists in full, large ones in equal parts', () => {
  expect(fairShares([5, 1000, 20, 400], 225)).toEqual([5, 100, 20, 100]);
  expect(fairShares([3, 4], 300)).toEqual([3, 4]);
  expect(fairShares([9, 9, 9], 2)).toEqual([1, 1, 1]);
  const chosen = spread(
    Array.from({ length: 1000 }, (_, i) => i),
    10,
    'a',
  );
  expect(chosen).toHaveLength(10);
  expect(new Set(chosen.map((height) => Math.floor(height / 100))).size).toBe(10);
});
