import { describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../../../../src/catalogue/record.ts';
import { ask, pageIn, serviceOver } from '../../../../../test/contract/asking.ts';
import { holdersAt } from '../../../../../test/fixtures/balances.ts';
import { chainSource } from '../../../../src/memory/chain-source.ts';
import type { Naming, Query } from '../../../../src/protocol/source.ts';
import type { SimulatedChain } from '../../../../src/simulated/chain.ts';
import { simulatedChain } from '../../../../src/simulated/chain.ts';

const HEAD = 5_400;
const chain = simulatedChain({ seed: 'chunks', head: HEAD, zoneStart: HEAD - 400 });

/** The chain, and the heights of either axis that were computed for whoever asked it. */
function watched(): { chain: SimulatedChain; heights: number[]; zoneHeights: number[] } {
  const heights: number[] = [];
  const zoneHeights: number[] = [];
  const recordsAt = (height: number) => {
    heights.push(height);
    return chain.recordsAt(height);
  };
  const zone: SimulatedChain['zone'] = {
    ...chain.zone,
    recordsAt: (height) => {
      zoneHeights.push(height);
      return chain.zone.recordsAt(height);
    },
  };
  return { chain: { ...chain, recordsAt, zone }, heights, zoneHeights };
}

function query(dataset: string, more: Partial<Query> = {}): Query {
  return {
    dataset,
    interval: { from: 0, to: Number.MAX_SAFE_INTEGER },
    filters: [],
    bounds: [],
    oncePerKey: false,
    offset: 0,
    count: 20,
    ...more,
  };
}

function named(column: string, ...values: (string | boolean | null | undefined)[]): Naming {
  return { columns: [column], values: values.map(String) };
}

const firstOf = (records: readonly CanonicalRecord[]): CanonicalRecord => records[0] ?? {};
/** Chunks of 250 heights, in the order they were computed. */
const chunksIn = (heights: readonly number[]): number[] => [
  ...new Set(heights.map((height) => Math.floor(height / 250))),
];
const down = (from: number, to: number): number[] =>
  Array.from({ length: from - to + 1 }, (_, nth) => from - nth);

describe('blocks, of which every height has one', () => {
  it('of the zone are counted and paged without computing any other', async () => {
    const { chain: seen, zoneHeights } = watched();
    const source = chainSource(seen);
    const head = source.head('zone');
    const page = await source.find(query('zone_blocks', { offset: 30_000, count: 3 }));
    expect(page.total).toBe(head + 1);
    expect(page.records.map((record) => record['block_number'])).toEqual(
      [30_000, 30_001, 30_002].map((back) => String(head - back)),
    );
    expect(zoneHeights).toHaveLength(3);
    const beyond = await source.find(query('zone_blocks', { offset: head + 1 }));
    expect(beyond).toEqual({ total: head + 1, records: [] });
    const last = await source.find(query('zone_blocks', { offset: head - 1 }));
    expect(last.records.map((record) => record['block_number'])).toEqual(['1', '0']);
    const none = { interval: { from: 9, to: 8 } };
    expect(await source.find(query('zone_blocks', none))).toEqual({ total: 0, records: [] });
  });

  it('of the primary chain are taken from what is computed already', async () => {
    const { chain: seen, heights } = watched();
    const source = chainSource(seen);
    await source.find(query('transactions', { interval: { from: 5_000, to: HEAD } }));
    heights.length = 0;
    const { records } = await source.find(query('blocks', { count: HEAD - 5_000 + 1 }));
    expect(heights).toEqual([]);
    const block = firstOf(chain.recordsAt(5_000).blocks);
    expect(records.at(-1)).toEqual({ ...block, confirmations: String(HEAD - 5_000) });
  });

  it('tell how many confirm them, and that the newest is pending', async () => {
    const source = chainSource(chain);
    const told = async () => {
      const { records } = await source.find(query('blocks', { count: 2 }));
      return records.map((row) => [row['confirmations'], row['block_state']]);
    };
    expect(await told()).toEqual([
      ['0', 'pending'],
      ['1', 'done'],
    ]);
    source.growTo(HEAD + 1);
    expect(await told()).toEqual([
      ['0', 'pending'],
      ['1', 'done'],
    ]);
    const service = serviceOver(source);
    const params = { chainShortName: 'MAINCHAIN', height: String(HEAD - 9) };
    const { data } = await ask(service, 'mainchain/block/block-fills', params);
    expect(data).toMatchObject([{ confirm: '10', state: 'done' }]);
  });

  it.each(['blocks', 'zone_blocks'])('%s can be looked up like any other records', async (name) => {
    const source = chainSource(chain);
    const { records } = await source.find(query(name, { count: 1, offset: 2 }));
    const hash = firstOf(records)['block_hash'];
    const keys = named('block_hash', hash);
    expect(await source.find(query(name, { keys }))).toEqual({ total: 1, records });
  });
});

describe('a look-up by hash', () => {
  const transactionAt = (height: number) => firstOf(chain.recordsAt(height).transactions);
  const heightWith = (from: number): number => {
    for (let height = from; ; height += 1) {
      if (transactionAt(height)['tx_hash'] !== undefined) return height;
    }
  };
  const [low, high] = [heightWith(1_100), heightWith(4_200)];

  it('computes chunks from the newest down, as far as the hash, and remembers', async () => {
    const { chain: seen, heights } = watched();
    const source = chainSource(seen);
    const keys = named('tx_hash', transactionAt(high)['tx_hash']);
    const page = await source.find(query('transactions', { keys }));
    expect(page).toEqual({ total: 1, records: [transactionAt(high)] });
    expect(chunksIn(heights)).toEqual(down(21, 16));
    await source.find(query('internal_transactions', { keys }));
    const unknown = named('tx_hash', '0xdead', transactionAt(high)['tx_hash']);
    expect((await source.find(query('transactions', { keys: unknown }))).total).toBe(1);
    expect(chunksIn(heights)).toEqual(down(21, 0));
    expect(heights).toHaveLength(5_500);
  });

  it('looks into chunks that are there before it computes another', async () => {
    const { chain: seen, heights } = watched();
    const source = chainSource(seen);
    await source.find(query('transactions', { interval: { from: low, to: low } }));
    expect(chunksIn(heights)).toEqual([4]);
    const keys = named('tx_hash', transactionAt(low)['tx_hash']);
    expect((await source.find(query('transactions', { keys }))).total).toBe(1);
    expect(chunksIn(heights)).toEqual([4]);
    const both = named('tx_hash', transactionAt(low)['tx_hash'], transactionAt(high)['tx_hash']);
    expect((await source.find(query('transactions', { keys: both }))).records).toEqual([
      transactionAt(high),
      transactionAt(low),
    ]);
    expect(chunksIn(heights)).toEqual([4, ...down(21, 16)]);
  });

  it('finds nothing above the head until the chain has grown there', async () => {
    const source = chainSource({ ...chain, head: low - 1 });
    const keys = named('tx_hash', transactionAt(low)['tx_hash']);
    expect((await source.find(query('transactions', { keys }))).total).toBe(0);
    source.growTo(low);
    expect((await source.find(query('transactions', { keys }))).total).toBe(1);
  });

  it('finds a crossing by the hash of either of its transactions', async () => {
    const source = chainSource(chain);
    const { records } = await source.find(query('cross_chain_transfers', { offset: 20, count: 1 }));
    const crossing = firstOf(records);
    for (const hash of [crossing['main_tx_hash'], crossing['zone_tx_hash']]) {
      const filters = [{ columns: ['zone_tx_hash', 'main_tx_hash'], values: [String(hash)] }];
      const page = await source.find(query('cross_chain_transfers', { filters }));
      expect(page).toEqual({ total: 1, records });
    }
  });
});

describe('the newest record of a key', () => {
  it('is found without looking at older heights', async () => {
    const { chain: seen, heights } = watched();
    const keys = named('from_address', chain.addresses(1)[0]);
    const newest = await chainSource(seen).newest(query('transactions', { keys }));
    const { records } = await chainSource(chain).find(query('transactions', { keys }));
    expect(newest).toEqual(records[0]);
    expect(chunksIn(heights)).toEqual([21]);
  });
});

describe('a chain that grows while it is read', () => {
  it('has a zone chain that grows with it', () => {
    const source = chainSource({ ...chain, head: 5_100 });
    source.growTo(5_112);
    expect(source.head('primary')).toBe(5_112);
    expect(source.head('zone')).toBe(chain.zone.headAt(5_112));
  });

  it('ranks its holders by the blocks of each head', async () => {
    const source = chainSource({ ...chain, head: 200 });
    const first = await source.find(query('native_holders'));
    expect(first.records).toEqual(holdersAt(chain, 200).slice(0, 20));
    source.growTo(230);
    const later = await source.find(query('native_holders'));
    expect(later.records).toEqual(holdersAt(chain, 230).slice(0, 20));
  });

  it('calls its zone what the simulated zone is called', () => {
    const names = { zoneShortName: 'MEADOW', zoneFullName: 'The meadow' };
    const source = chainSource(simulatedChain({ seed: 's', head: 0, ...names }));
    expect(source.names.zone).toEqual({ shortName: 'MEADOW', fullName: 'The meadow' });
    expect(source.head('zone')).toBe(-1);
  });
});

describe('internal transactions that are indexed late', () => {
  const heightsIn = (records: readonly CanonicalRecord[]): number[] => [
    ...new Set(records.map((record) => Number(record['block_number']))),
  ];
  const newest = (from: number): CanonicalRecord => {
    for (let height = from; ; height -= 1) {
      const [record] = chain.recordsAt(height).internal_transactions;
      if (record !== undefined) return record;
    }
  };

  it('are not listed of the newest heights, and then are', async () => {
    const source = chainSource(chain);
    const interval = { from: HEAD - 200, to: HEAD + 100 };
    const question = query('internal_transactions', { interval, count: 10_000 });
    const all = await source.find(question);
    source.delayInternal(100);
    const early = await source.find(question);
    const old = all.records.filter(({ block_number: height }) => Number(height) <= HEAD - 100);
    expect(early).toEqual({ total: old.length, records: old });
    expect(heightsIn(all.records)[0]).toBeGreaterThan(HEAD - 100);
    expect(await source.newest(question)).toEqual(early.records[0]);
    source.growTo(HEAD + 50);
    expect(heightsIn((await source.find(question)).records)[0]).toBe(
      Number(newest(HEAD - 50)['block_number']),
    );
    source.delayInternal(0);
    expect(heightsIn((await source.find(question)).records)[0]).toBe(
      Number(newest(HEAD + 50)['block_number']),
    );
    source.delayInternal(HEAD + 51);
    expect(await source.find(question)).toEqual({ total: 0, records: [] });
  });

  it('are counted by their block meanwhile, and nothing else is late', async () => {
    const source = chainSource(chain);
    const service = serviceOver(source);
    const { tx_hash: txId, block_number: height } = newest(HEAD);
    const params = { chainShortName: 'MAINCHAIN', height: String(height), txId: String(txId) };
    const counts = async () => {
      const [block] = (await ask(service, 'mainchain/block/block-fills', params)).data;
      const path = 'mainchain/transaction/internal-transaction-detail';
      const inBlock = { ...params, limit: '100', protocolType: 'internal' };
      const lists = [
        await ask(service, path, { ...params, limit: '100' }),
        await ask(service, 'mainchain/block/transaction-list', inBlock),
        await ask(service, 'mainchain/block/transaction-list', params),
      ];
      return [Number(block?.['txnInternal']), ...lists.map((answer) => pageIn(answer).list.length)];
    };
    const [declared = 0, ofHash = 0, ofBlock, plain] = await counts();
    expect(declared).toBeGreaterThan(0);
    expect(ofHash).toBeGreaterThan(0);
    expect(ofBlock).toBe(declared);
    source.delayInternal(HEAD - Number(height) + 1);
    expect(await counts()).toEqual([declared, 0, 0, plain]);
    source.reorganise(1);
    source.delayInternal(0);
    const [now = 0, , listed] = await counts();
    expect(listed).toBe(now);
  });

  it('are late by a whole number of blocks', () => {
    const source = chainSource(chain);
    for (const blocks of [-1, 0.5, Number.NaN]) {
      expect(() => source.delayInternal(blocks)).toThrow(RangeError);
    }
  });
});
