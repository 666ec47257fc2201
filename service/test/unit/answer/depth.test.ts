import { describe, expect, it } from 'vitest';
import { endpoints, paramOf } from '../../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../../src/catalogue/record.ts';
import { ask, pageIn, serviceOver } from '../../../../test/contract/asking.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';

const YEAR_MS = 365 * 86_400_000;
const [ALICE, BOB] = ['0xa1', '0xb2'];

/** Between two parties, at a height and a time. */
function transaction(height: number, timeMs: number, from: string, to: string): CanonicalRecord {
  return {
    tx_hash: `0x${height}`,
    block_number: String(height),
    block_time: String(timeMs),
    from_address: from,
    to_address: to,
  };
}

const yearly = endpoints.filter((entry) => entry.limits.depthYears !== undefined);

describe.each(yearly)('$path, which reaches years back', (entry) => {
  const depthMs = (entry.limits.depthYears ?? 0) * YEAR_MS;
  const latestMs = 1_700_000_000_000;
  const source = tablesSource(
    new Map([
      [
        entry.dataset,
        [
          transaction(1, latestMs - depthMs - 1, ALICE, '0xc3'),
          transaction(2, latestMs - depthMs, ALICE, '0xc3'),
          transaction(3, latestMs - depthMs, BOB, '0xc3'),
          transaction(4, latestMs, '0xc3', ALICE),
          transaction(5, latestMs + depthMs, '0xc3', BOB),
        ],
      ],
    ]),
  );
  const heights = async (address: string, more: Record<string, string> = {}) => {
    const answer = await ask(serviceOver(source), entry.path, {
      chainShortName: 'MAINCHAIN',
      [paramOf(entry, 'keys')?.name ?? '']: address,
      ...more,
    });
    return pageIn(answer).list.map((record) => Number(record['height']));
  };

  it('shows records up to exactly that age before the latest record, and none older', async () => {
    expect(await heights(ALICE)).toEqual([4, 2]);
  });

  it('counts for every address from its own latest record', async () => {
    expect(await heights(BOB)).toEqual([5]);
    expect(await heights('0xc3')).toEqual([5, 4]);
    expect(await heights('0xdd')).toEqual([]);
  });

  it('counts from the latest record whatever blocks and side are asked for', async () => {
    expect(await heights(ALICE, { endBlockHeight: '3' })).toEqual([2]);
    expect(await heights(ALICE, { endBlockHeight: '1' })).toEqual([]);
    expect(await heights(ALICE, { isFromOrTo: 'from' })).toEqual([2]);
    expect(await heights(BOB, { startBlockHeight: '1', endBlockHeight: '4' })).toEqual([]);
  });
});

const rankings = endpoints.filter((entry) => entry.limits.depthRecords !== undefined);

describe.each(rankings)('$path, which has a last rank', (entry) => {
  const depth = entry.limits.depthRecords ?? 0;
  const holder = (rank: number, height: number | null): CanonicalRecord => ({
    as_of_block: height === null ? null : String(height),
    holder_rank: String(rank),
    symbol: 'NATIVE',
    holder_address: `0x${rank}`,
    amount: '1',
  });
  const served = async (records: readonly CanonicalRecord[], more: Record<string, string> = {}) => {
    const source = tablesSource(new Map([[entry.dataset, records]]));
    // The record cap of the primary chain must not end it.
    const service = serviceOver(source, { recordCap: 1_000_000 });
    return pageIn(await ask(service, entry.path, { chainShortName: 'MAINCHAIN', ...more }));
  };
  const ranks = (page: Awaited<ReturnType<typeof served>>) =>
    page.list.map((record) => Number(record['rank']));

  it('ends there', async () => {
    for (const [count, totalPage] of [
      [depth - 1, depth / 100],
      [depth, depth / 100],
      [depth + 1, depth / 100],
      [depth - 100, depth / 100 - 1],
    ] as const) {
      const records = Array.from({ length: count }, (_, nth) => holder(nth + 1, 7));
      expect((await served(records, { limit: '100' })).totalPage).toBe(totalPage);
      if (count <= depth) continue;
      const last = { limit: '3', page: String(Math.ceil(depth / 3)) };
      expect(ranks(await served(records, last))).toEqual([depth]);
      const beyond = { limit: '100', page: String(depth / 100 + 1) };
      expect(ranks(await served(records, beyond))).toEqual([]);
    }
  });

  it('begins with the first rank, in whatever order the records come', async () => {
    const records = [10, 2, 1, 9, 100].map((rank) => holder(rank, 7));
    expect(ranks(await served(records))).toEqual([1, 2, 9, 10, 100]);
    const unread = [3, 1, 2].map((rank) => holder(rank, null));
    expect(ranks(await served(unread))).toEqual([1, 2, 3]);
  });

  it('is the newest one of several', async () => {
    const records = [holder(1, 9), holder(2, 9), holder(1, 80), holder(3, 9)];
    expect(ranks(await served(records))).toEqual([1]);
  });

  it('says nothing of how far the chain has come', () => {
    const held = new Map([[entry.dataset, [holder(1, 500)]]]);
    expect(tablesSource(held).head(entry.axis)).toBe(-1);
    held.set('blocks', [{ block_number: '40' }]);
    expect(tablesSource(held).head(entry.axis)).toBe(40);
  });
});

it('a depth in blocks that is more than there are reaches all of them', async () => {
  const entry = endpoints.find(({ limits }) => limits.depthBlocks !== undefined);
  const service = serviceOver(chainSource(simulatedChain({ seed: 'shallow', head: 30 })));
  const answer = await ask(service, entry?.path ?? '', { chainShortName: 'MAINCHAIN', limit: '1' });
  expect(pageIn(answer).totalPage).toBe(31);
});

it('every chain has the head of its own records, a crossing at its zone height', () => {
  const source = tablesSource(
    new Map([
      ['transactions', [transaction(12, 0, ALICE, BOB)]],
      ['zone_transactions', [{ block_number: '900' }]],
      ['cross_chain_transfers', [{ zone_block_number: '1000', main_block_number: '5000' }]],
    ]),
  );
  expect([source.head('primary'), source.head('zone')]).toEqual([12, 1000]);
});
