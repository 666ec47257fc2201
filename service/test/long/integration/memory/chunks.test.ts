import { describe, expect, it } from 'vitest';
import type { CanonicalRecord } from '../../../../../src/catalogue/record.ts';
import { holdersAt } from '../../../../../test/fixtures/balances.ts';
import { quietEffects } from '../../../../../test/fixtures/quiet-effects.ts';
import { chainSource } from '../../../../src/memory/chain-source.ts';
import { Chunks } from '../../../../src/memory/chunks.ts';
import { examplesFrom } from '../../../../src/openapi/examples.ts';
import type { Query, Source } from '../../../../src/protocol/source.ts';
import { ENDLESS_SLICE, timeSlices } from '../../../../src/protocol/time-slices.ts';
import { simulatedChain } from '../../../../src/simulated/chain.ts';

/**
 * Goal: a chain that is computed in slices answers like its records held in memory, lets others have
 * their turn, and keeps a bounded part of what it computed.
 */

const HEAD = 1_300;
const options = { seed: 'slices', head: HEAD, zoneStart: HEAD - 100 };
const chain = simulatedChain(options);

function query(dataset: string, more: Partial<Query> = {}): Query {
  const interval = { from: 0, to: Number.MAX_SAFE_INTEGER };
  return {
    dataset,
    interval,
    filters: [],
    bounds: [],
    oncePerKey: false,
    offset: 0,
    count: 20,
    ...more,
  };
}

describe('a long computation', () => {
  const SLICE_MS = 10;

  /** A clock that moves while something is computed; notes the longest time between two pauses. */
  function clock(sliceMs: number) {
    let nowMs = 0;
    let resumedMs = 0;
    let longestMs = 0;
    const takesMs = (ms: number): void => {
      nowMs += ms;
      longestMs = Math.max(longestMs, nowMs - resumedMs);
    };
    const pause = async (): Promise<void> => {
      await Promise.resolve();
      nowMs += 1_000;
      resumedMs = nowMs;
    };
    const slices = timeSlices({ pause, now: () => nowMs, sliceMs });
    return { takesMs, slices, longestMs: () => longestMs };
  }

  /** A chain on that clock: a height or a step takes a millisecond. */
  function clocked(sliceMs = SLICE_MS, more: { readonly ranksAhead?: boolean } = {}) {
    const { takesMs, slices, longestMs } = clock(sliceMs);
    /** The blocks that rankings counted. */
    const ranked: number[] = [];
    const recordsAt = (height: number) => {
      takesMs(1);
      return chain.recordsAt(height);
    };
    const zone = {
      ...chain.zone,
      recordsAt: (height: number) => {
        takesMs(1);
        return chain.zone.recordsAt(height);
      },
    };
    const executedAt = (height: number) => {
      takesMs(1);
      ranked.push(height);
      return chain.executedAt(height);
    };
    const source = chainSource({ ...chain, recordsAt, zone, executedAt }, { slices, ...more });
    return { source, slices, longestMs, ranked };
  }

  const nobody = { columns: ['from_address', 'to_address'], values: ['0x12'] };
  const sender = { columns: ['from_address'], values: ['0x12'] };
  const hash = { columns: ['tx_hash'], values: [`0x${'12'.repeat(32)}`] };
  const QUESTIONS: readonly [string, (source: Source) => unknown][] = [
    ['a list by address', (source) => source.find(query('transactions', { keys: nobody }))],
    ['a look-up by hash', (source) => source.find(query('transactions', { keys: hash }))],
    ['the newest record', (source) => source.newest(query('transactions', { keys: nobody }))],
    ['a list of the zone', (source) => source.find(query('zone_transactions', { keys: sender }))],
    ['a long page', (source) => source.find(query('token_transfers', { count: 2_000 }))],
    ['a page of blocks', (source) => source.find(query('blocks', { count: 100 }))],
    ['a ranking', (source) => source.find(query('native_holders'))],
    ['the examples of the document', (source) => examplesFrom(source)],
  ];

  it.each(QUESTIONS)('lets other requests run after every slice: %s', async (_, ask) => {
    const { source, longestMs } = clocked();
    await ask(source);
    expect(longestMs()).toBe(SLICE_MS);
  });

  it('lets other requests run after every slice, however many computations there are', async () => {
    const { source, longestMs } = clocked();
    await Promise.all(QUESTIONS.map(([_, ask]) => ask(source)));
    // Each of them may look at one record that it found before it looks at the clock.
    expect(longestMs()).toBeLessThanOrEqual(SLICE_MS + QUESTIONS.length);
  });

  it.each([true, false])(
    'ranks in the background after its first answer: %s',
    async (ranksAhead) => {
      const { source, slices, ranked } = clocked(SLICE_MS, { ranksAhead });
      expect(ranked).toEqual([]);
      await source.find(query('transactions'));
      await slices.next();
      await slices.next();
      expect(ranked.length > 0).toBe(ranksAhead);
    },
  );

  it('counts each block once for several rankings', async () => {
    const { source, ranked } = clocked(1);
    const heights = [HEAD, HEAD + 30];
    const rankings = heights.map(async (height) => {
      source.growTo(height);
      return (await source.find(query('native_holders'))).records;
    });
    expect(await Promise.all(rankings)).toEqual(
      heights.map((height) => holdersAt(chain, height).slice(0, 20)),
    );
    expect(ranked).toEqual(Array.from({ length: HEAD + 31 }, (_, height) => height));
  });

  it('has one slice after each pause, in the order of asking', async () => {
    const steps: string[] = [];
    const pause = async (): Promise<void> => {
      await Promise.resolve();
      steps.push('pause');
    };
    const slices = timeSlices({ pause, now: () => 0 });
    const compute = async (name: string): Promise<void> => {
      for (let i = 0; i < 3; i += 1) {
        await slices.next();
        steps.push(name);
      }
    };
    await Promise.all([compute('a'), compute('b'), compute('c')]);
    expect(steps.filter((_, nth) => nth % 2 === 0)).toEqual(Array(9).fill('pause'));
    expect(steps.filter((_, nth) => nth % 2 === 1)).toEqual(
      ['a', 'b', 'c'].flatMap(() => ['a', 'b', 'c']),
    );
  });

  it('pauses when its clock is set back, instead of waiting for the old time', () => {
    let nowMs = 1_000;
    const slices = timeSlices({ pause: async () => {}, now: () => nowMs });
    return slices.next().then(() => {
      expect(slices.isOver()).toBe(false);
      nowMs = 990;
      expect(slices.isOver()).toBe(true);
    });
  });

  it('ends where its pause says so, and begins again when it is asked again', async () => {
    let isEnding = true;
    const pause = async (): Promise<void> => {
      if (isEnding) throw new Error('ending');
    };
    const source = chainSource(chain, { slices: timeSlices({ pause, now: quietEffects().now }) });
    const questions = [query('transactions'), query('native_holders'), query('zone_transactions')];
    for (const call of questions) await expect(source.find(call)).rejects.toThrow('ending');
    isEnding = false;
    for (const call of questions) {
      expect((await source.find(call)).total).toBeGreaterThan(0);
    }
  });

  it('does not delay the document of the service', async () => {
    const executedAt = (): never => {
      throw new Error('holders are ranked');
    };
    const source: Source = chainSource({ ...chain, executedAt });
    const examples = await examplesFrom(source);
    expect(examples.get('mainchain/address/native-token-position-list')).toEqual({
      chainShortName: 'MAINCHAIN',
      page: '1',
      limit: '20',
    });
  });
});

describe('what was computed', () => {
  const transactionAt = (height: number): CanonicalRecord => ({
    tx_hash: `0x${height}`,
    block_number: String(height),
    from_address: '0xa',
  });
  function chunksWithin(mostChunks: number) {
    const computed: number[] = [];
    const recordsAt = (height: number) => {
      computed.push(height);
      return { blocks: [{}], transactions: [transactionAt(height)] };
    };
    const sizes = { chunkBlocks: 5_000, dense: 'blocks', located: [] };
    const chunks = new Chunks({ ...sizes, mostChunks, recordsAt }, ENDLESS_SLICE);
    const page = async (offset: number): Promise<unknown> => {
      const keys = { columns: ['from_address'], values: ['0xa'] };
      const interval = { from: 0, to: 14_999 };
      const all = query('transactions', { interval, keys });
      const { total, records } = await chunks.find({ ...all, offset, count: 1 });
      expect(total).toBe(15_000);
      return records[0]?.['block_number'];
    };
    return { page, computed };
  }

  it('is let go beyond a number of chunks, and computed again for the page that needs it', async () => {
    const { page, computed } = chunksWithin(1);
    expect(await page(0)).toBe('14999');
    computed.length = 0;
    expect(await page(6_000)).toBe('8999');
    expect([computed.length, computed[0]]).toEqual([5_000, 5_000]);
  });

  it('is kept below it: pages cost nothing more', async () => {
    const { page, computed } = chunksWithin(3);
    await page(0);
    expect(computed).toHaveLength(15_000);
    expect(await page(14_999)).toBe('0');
    expect(computed).toHaveLength(15_000);
  });
});
