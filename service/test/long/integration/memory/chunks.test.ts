import { describe, expect, it } from 'vitest';
import { datasets, wordsOfDataset } from '../../../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../../../src/catalogue/record.ts';
import { holdersAt } from '../../../../../test/fixtures/finished.ts';
import { quietEffects } from '../../../../../test/fixtures/quiet-effects.ts';
import { blocksAsOf } from '../../../../../test/fixtures/served-blocks.ts';
import { IS_THOROUGH } from '../../../../../test/fixtures/thorough.ts';
import { Chance } from '../../../../../test/model/chance.ts';
import { chainSource } from '../../../../src/memory/chain-source.ts';
import { ChunkPager } from '../../../../src/memory/chunk-pager.ts';
import { chunksOf, type Heights } from '../../../../src/memory/chunks.ts';
import { filterColumns } from '../../../../src/memory/filter-columns.ts';
import { tablesSource } from '../../../../src/memory/records-source.ts';
import { examplesFrom } from '../../../../src/openapi/examples.ts';
import { documentSteps, openApiDocument } from '../../../../src/openapi/openapi.ts';
import type { Bound, Naming, Query, Source } from '../../../../src/protocol/source.ts';
import { DEFAULT_NAMES } from '../../../../src/protocol/source.ts';
import { ENDLESS_SLICE, inSlices, timeSlices } from '../../../../src/protocol/time-slices.ts';
import { fullSettings } from '../../../../src/settings/settings.ts';
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

describe('questions to a chain', () => {
  const tables = new Map<string, CanonicalRecord[]>();
  const add = (records: Readonly<Record<string, readonly CanonicalRecord[]>>): void => {
    for (const [name, list] of Object.entries(records)) {
      const known = tables.get(name) ?? [];
      tables.set(name, known);
      known.push(...list);
    }
  };
  for (let height = 0; height <= HEAD; height += 1) {
    const { blocks, ...others } = chain.recordsAt(height);
    add({ ...others, blocks: blocksAsOf(HEAD, blocks) });
  }
  for (let height = 0; height <= chain.zone.head; height += 1) add(chain.zone.recordsAt(height));
  const held = tablesSource(tables);
  const chance = new Chance(7);
  const values = (dataset: string, column: string, most: number): string[] => {
    const count = chance.between(1, most);
    const found = Array.from(
      { length: count },
      () => chance.pick(tables.get(dataset) ?? [])[column],
    );
    const named = found.flatMap((each) =>
      each === null || each === undefined ? [] : String(each).split(','),
    );
    return [...new Set(named)];
  };
  const namings = (dataset: string, columns: readonly string[]): Naming[] => {
    const [first = ''] = columns;
    const parties = ['from_address', 'to_address'].filter((each) => columns.includes(each));
    const named = chance.is(0.5) && parties.length > 0 ? parties : [first];
    return [{ columns: named, values: values(dataset, named[0] ?? '', 20) }];
  };
  const bounds = (dataset: string, columns: readonly string[]): Bound[] =>
    columns.flatMap((column): Bound[] => {
      const [least, most] = values(dataset, column, 2).sort((a, b) => Number(a) - Number(b));
      if (least === undefined || chance.is(0.5)) return [];
      return [{ column, least, ...(most === undefined ? {} : { most }) }];
    });
  const asked = datasets
    .filter(({ name }) => tables.has(name))
    .flatMap(({ name, axis }) => {
      const { named, bounded } = filterColumns(name);
      return Array.from({ length: IS_THOROUGH ? 200 : 25 }, (): Query => {
        const head = held.head(axis);
        const [from = 0, to = 0] = [chance.between(0, head), chance.between(0, head)].sort(
          (a, b) => a - b,
        );
        const columns = named.length === 0 ? [] : [chance.pick(named), ...named];
        const [keys] = columns.length === 0 ? [] : namings(name, columns);
        return query(name, {
          interval: chance.is(0.3) ? { from: 0, to: head } : { from, to },
          ...(keys === undefined || chance.is(0.2) ? {} : { keys }),
          filters: chance.is(0.3) && named.length > 0 ? namings(name, [chance.pick(named)]) : [],
          bounds: bounds(name, bounded),
          oncePerKey: chance.is(0.3),
          offset: chance.between(0, 30),
          count: 10,
        });
      });
    });

  it('are answered like records in memory', async () => {
    const source = chainSource(chain);
    for (const each of asked) {
      expect(await source.find(each), JSON.stringify(each)).toEqual(await held.find(each));
      const newest = await source.newest(each);
      expect(newest, JSON.stringify(each)).toEqual(await held.newest(each));
    }
  });

  it('cover every column that an endpoint can ask about, and only columns of the dataset', () => {
    for (const { name } of datasets) {
      const words = wordsOfDataset(name).map(({ column }) => column);
      const { named, bounded } = filterColumns(name);
      expect(words).toEqual(expect.arrayContaining([...named, ...bounded]));
    }
    expect(filterColumns('token_transfers').bounded).toEqual(['amount']);
    expect(filterColumns('transactions').bounded).toEqual(['block_time']);
  });
});

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
    /** The height of each step of a ranking. */
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
    const holderSteps = function* (height: number) {
      for (const steps = chain.holderSteps(height); ; yield) {
        takesMs(1);
        ranked.push(height);
        const step = steps.next();
        if (step.done === true) return step.value;
      }
    };
    const source = chainSource({ ...chain, recordsAt, zone, holderSteps }, { slices, ...more });
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

  it('lets other requests run while the records of a page are computed', async () => {
    const { takesMs, slices, longestMs } = clock(SLICE_MS);
    const recordsAt = (height: number) => chain.recordsAt(height);
    const located = new Set<string>();
    const sizes = { chunkBlocks: 64, keptHeights: 64, mostBytes: 2 ** 20, dense: 'blocks' };
    const chunks = chunksOf({ ...sizes, located, recordsAt }, ENDLESS_SLICE);
    const slow: typeof chunks = {
      ...chunks,
      parts: (asked) => chunks.parts(asked),
      part: async (dataset, first) => {
        const part = await chunks.part(dataset, first);
        const record = (at: number) => {
          takesMs(1);
          return part.record(at);
        };
        return Object.create(part, { record: { value: record } });
      },
    };
    const { records } = await new ChunkPager(slices).find(
      slow,
      query('transactions', { interval: { from: 0, to: HEAD }, count: 50 }),
    );
    expect(records).toHaveLength(50);
    expect(longestMs()).toBe(SLICE_MS);
  });

  it('ranks one height after the other: their steps share the sums of the chain', async () => {
    // With a pause after every step, two rankings would take turns.
    const { source, ranked } = clocked(1);
    const heights = [HEAD, HEAD + 30];
    const rankings = heights.map(async (height) => {
      source.growTo(height);
      return (await source.find(query('native_holders'))).records;
    });
    expect(await Promise.all(rankings)).toEqual(
      heights.map((height) => holdersAt(chain, height).slice(0, 20)),
    );
    expect(ranked).toEqual([...ranked].sort((a, b) => a - b));
    expect([...new Set(ranked)]).toEqual(heights);
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
    for (const each of questions) await expect(source.find(each)).rejects.toThrow('ending');
    isEnding = false;
    for (const each of questions) {
      expect((await source.find(each)).total).toBeGreaterThan(0);
    }
  });

  it('does not delay the document of the service', async () => {
    const holderSteps = (): never => {
      throw new Error('holders are ranked');
    };
    const source: Source = chainSource({ ...chain, holderSteps });
    const examples = await examplesFrom(source);
    expect(examples.get('mainchain/address/native-token-position-list')).toEqual({
      chainShortName: 'MAINCHAIN',
      page: '1',
      limit: '20',
    });
    let pauses = 0;
    const nodes = { rpcs: [], streams: [] };
    const steps = documentSteps(fullSettings({}), DEFAULT_NAMES, examples, nodes);
    const pause = async () => {
      pauses += 1;
    };
    const slices = timeSlices({ pause, now: quietEffects().now, sliceMs: 1 });
    const document = await inSlices(steps, slices);
    expect(pauses).toBeGreaterThan(20);
    expect(document).toEqual(openApiDocument(fullSettings({}), DEFAULT_NAMES, examples));
  });
});

describe('records that columns hardly tell apart', () => {
  const found = async (records: readonly CanonicalRecord[], more: Partial<Query>) => {
    const recordsAt = (height: number) => ({
      blocks: [{}],
      token_transfers: records.slice(height, height + 1),
    });
    const limits = { chunkBlocks: 4, sliceBlocks: 1, keptHeights: 0, mostBytes: 1e6 };
    const located = new Set(['tx_hash']);
    const chunks = chunksOf({ ...limits, recordsAt, dense: 'blocks', located }, ENDLESS_SLICE);
    const interval = { from: 0, to: records.length - 1 };
    const asked = query('token_transfers', { interval, ...more });
    const { total, records: listed } = await new ChunkPager(ENDLESS_SLICE).find(chunks, asked);
    expect(total).toBe(listed.length);
    return listed.map((each) => each['amount'] ?? each['tx_hash']);
  };

  it('are identified by their whole hash', async () => {
    const hashes = ['aa', 'bb', 'cc', 'dd', 'bb'].map((end) => `0x12345678${end}`);
    const records = hashes.map((hash) => ({ tx_hash: hash }));
    const keys = { columns: ['tx_hash'], values: ['0x12345678bb'] };
    // A hash is looked for from the newest block down, and is in one block alone.
    expect(await found(records, { keys })).toEqual(['0x12345678bb']);
    const other = { columns: ['tx_hash'], values: ['0x12345678aa', '0x12345678ee'] };
    expect(await found(records, { keys: other })).toEqual(['0x12345678aa']);
  });

  it('are told by every digit of their amount', async () => {
    const one = ['1', '1.0', '1.0000000000000000000001', '0.9999999999999999999999'];
    const huge = [`1${'0'.repeat(400)}`, `2${'0'.repeat(400)}`];
    const records = [...one, ...huge].map((amount) => ({ amount }));
    const bounds = (...all: Omit<Bound, 'column'>[]) =>
      found(records, { bounds: all.map((each) => ({ column: 'amount', ...each })) });
    expect(await bounds({ least: '1', most: '1' })).toEqual(['1.0', '1']);
    expect(await bounds({ least: '1.0000000000000000000001', most: '2' })).toEqual([one[2]]);
    expect(await bounds({ most: '0.9999999999999999999999' })).toEqual([one[3]]);
    expect(await bounds({ least: huge[1] ?? '' })).toEqual([huge[1]]);
  });
});

describe('what was computed', () => {
  const transactionAt = (height: number): CanonicalRecord => ({
    tx_hash: `0x${height}`,
    block_number: String(height),
    from_address: '0xa',
  });
  function chunksWithin(limits: Pick<Heights, 'keptHeights' | 'mostBytes'>) {
    const computed: number[] = [];
    const recordsAt = (height: number) => {
      computed.push(height);
      return { blocks: [{}], transactions: [transactionAt(height)] };
    };
    const sizes = { chunkBlocks: 2, dense: 'blocks', located: new Set<string>() };
    return { chunks: chunksOf({ ...sizes, ...limits, recordsAt }, ENDLESS_SLICE), computed };
  }
  const all = query('transactions', {
    interval: { from: 0, to: 5 },
    keys: { columns: ['from_address'], values: ['0xa'] },
  });

  it('is let go beyond a number of bytes, and computed again for the next page', async () => {
    const { chunks, computed } = chunksWithin({ keptHeights: 0, mostBytes: 1 });
    const pager = new ChunkPager(ENDLESS_SLICE);
    expect((await pager.find(chunks, { ...all, count: 1 })).records).toEqual([transactionAt(5)]);
    computed.length = 0;
    const { total, records } = await pager.find(chunks, { ...all, offset: 2, count: 1 });
    expect([total, records]).toEqual([6, [transactionAt(3)]]);
    // The columns of its chunk, and the record.
    expect(computed).toEqual([2, 3, 3]);
  });

  it('is kept below it: pages cost the records that they show', async () => {
    const { chunks, computed } = chunksWithin({ keptHeights: 3, mostBytes: 1e6 });
    const pager = new ChunkPager(ENDLESS_SLICE);
    await pager.find(chunks, { ...all, count: 1 });
    expect(computed).toEqual([4, 5, 2, 3, 0, 1]);
    computed.length = 0;
    await pager.find(chunks, { ...all, count: 3 });
    // Records of three heights are kept; the look at all others did not push them out.
    expect(computed).toEqual([3]);
  });
});
