import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../../src/catalogue/entry.ts';
import { contains } from '../../../../src/coverage/ranges.ts';
import type { Slice } from '../../../../src/coverage/slice.ts';
import type { FetchedPart } from '../../../../src/coverage/slice-part.ts';
import type { LandsAs } from '../../../../src/fetch/corroborate/destination.ts';
import { EmptyAnswers } from '../../../../src/fetch/corroborate/empty-answers.ts';
import { KeyDensity } from '../../../../src/fetch/corroborate/key-density.ts';
import { fetchSlice } from '../../../../src/fetch/fetch-slice.ts';
import { CallFailure } from '../../../../src/fetch/http/call-failure.ts';
import type { Caller, PageReply } from '../../../../src/fetch/http/caller.ts';
import { ListFacts, type RangeEdges } from '../../../../src/fetch/walk/list-facts.ts';
import type { Proof } from '../../../../src/pipeline/pipeline.ts';
import type { PlainReply } from '../../../fixtures/listed.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { seededRandom } from '../../../fixtures/virtual-clock.ts';
import { Lister } from '../../../fixtures/walk-lister.ts';
import { A, B, C, NORMAL, record, settingsOf, sliceOf } from '../../../fixtures/walk-setup.ts';

/**
 * Goal: an empty answer lands as complete only after other answers of the service support it, and
 * all empty answers of a run are withdrawn once one of them is known to be false.
 */

interface Landing {
  readonly slice: Slice;
  readonly status: string;
  readonly records: number;
  readonly as: LandsAs;
}

/** A run over a service: it walks and hands over slices, and keeps the landed parts. */
class Run {
  readonly landings: Landing[] = [];
  readonly failures: string[] = [];
  readonly suspicions: string[] = [];
  readonly facts = new ListFacts({});
  readonly empty: EmptyAnswers;
  pauses = 0;
  /** Far above all windows, so that their ends are not doubted. */
  head = 1_000_000;
  readonly #caller: Caller;
  readonly #proof: Proof;

  constructor(
    caller: Caller,
    proof: Proof = 'standard',
    edges: RangeEdges = { from: true, to: true },
  ) {
    this.facts.learnEdges(NORMAL, edges);
    this.#caller = caller;
    this.#proof = proof;
    this.empty = new EmptyAnswers({
      caller,
      facts: this.facts,
      random: () => 0.5,
      pause: async () => {
        this.pauses += 1;
      },
      onSuspect: (reason) => this.suspicions.push(reason),
    });
  }

  async read(...slices: readonly Slice[]): Promise<void> {
    const settings = settingsOf({ facts: this.facts, proof: this.#proof });
    const land = async (part: FetchedPart, as: LandsAs): Promise<void> => {
      const { slice, status, records } = part;
      this.landings.push({ slice, status, records: records.length, as });
    };
    const fail = (_part: FetchedPart, reason: string): void => void this.failures.push(reason);
    for (const slice of slices) {
      for await (const part of fetchSlice(this.#caller, slice, settings)) {
        await this.empty.take(part, { head: this.head, settings, land, fail });
      }
    }
  }

  /**
   * How often a part with this height landed as complete and empty. The sample at the end of a small
   * run finds every false one, but only after that.
   */
  landedEmpty(height: number): number {
    return this.landings.filter(
      ({ slice, status, records }) =>
        contains(slice.interval, height) && status === 'complete' && records === 0,
    ).length;
  }

  /** The status of the last part landed at a height; '' without one. */
  statusAt(height: number): string {
    const covers = ({ slice }: Landing): boolean =>
      slice.interval.from <= height && slice.interval.to >= height;
    return this.landings.findLast(covers)?.status ?? '';
  }

  /** Status of each window by its number, with the number of records ever landed for it. */
  windows(count: number): string[] {
    return Array.from({ length: count }, (_, i) => {
      const landed = this.landings.filter(
        ({ slice }) => Math.floor(slice.interval.from / 100) === i,
      );
      const records = Math.max(0, ...landed.map((part) => part.records));
      return `${this.statusAt(i * 100)} ${records}`;
    });
  }
}

/** Slices of 100 heights each. */
const windows = (count: number, first = 0): Slice[] =>
  Array.from({ length: count }, (_, i) => {
    const from = (first + i) * 100;
    return sliceOf({ list: listNamed(NORMAL), interval: { from, to: from + 99 } });
  });

/**
 * A record in every second window, from the first one. `says` replaces the right answer to a
 * question about a window (or without one, for the newest block).
 */
function serving(
  windowsOfRecords: number,
  says: (reply: PlainReply, window: number, reading: number) => PlainReply = (reply) => reply,
): Lister {
  const records = Array.from({ length: windowsOfRecords }, (_, i) => record(i * 200 + 50));
  const readings = new Map<number, number>();
  return new Lister(records.reverse(), {
    tamper: (reply, { query }) => {
      const window = Math.floor(Number(query['startBlockHeight'] ?? -1) / 100);
      const reading = (readings.get(window) ?? 0) + 1;
      readings.set(window, reading);
      return says(reply, window, reading);
    },
  });
}

const EMPTY: PageReply = { records: [], page: 0, totalPage: 0 };
/** Upper end of a range of windows of which every second one has a record. */
const right = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `complete ${(i + 1) % 2}`);

test('a part with records lands immediately, and an empty one after a later answer with records', async () => {
  const run = new Run(serving(1));
  await run.read(...windows(2));
  expect(run.landings.map(({ status, records }) => [status, records])).toEqual([['complete', 1]]);
  await run.empty.settle(false);
  expect(run.windows(2)).toEqual(right(2));
  expect(run.landings.every(({ as }) => as === 'new')).toBe(true);
});

test('an empty list is corroborated by the newest block if no list has records', async () => {
  const lister = new Lister([], {
    tamper: (reply, { endpoint }) =>
      endpoint.servesHead === true ? { ...reply, records: [{ height: '700' }] } : reply,
  });
  const run = new Run(lister);
  await run.read(...windows(1));
  expect(run.landings).toEqual([]);
  await run.empty.settle(false);
  expect(run.windows(1)).toEqual(['complete 0']);
  expect(lister.calls.some(({ endpoint }) => endpoint.servesHead === true)).toBe(true);
});

test('no part of a service without any records lands as complete', async () => {
  const run = new Run(new Lister([]));
  await run.read(...windows(3));
  await run.empty.settle(false);
  expect(run.windows(3)).toEqual(['inconsistent 0', 'inconsistent 0', 'inconsistent 0']);
});

test('empty parts do not land as complete if the list returns no records after them', async () => {
  let isDumb = false;
  const run = new Run(serving(20, (reply) => (isDumb ? EMPTY : reply)));
  await run.read(...windows(1));
  isDumb = true;
  await run.read(...windows(5, 1));
  await run.empty.settle(false);
  expect(run.windows(6)).not.toContain('complete 0');
  expect(run.windows(6)[0]).toBe('complete 1');
  expect(run.suspicions).toHaveLength(1);
});

test('a service without records for a while is read again, and no record is lost', async () => {
  let silent = 0;
  const run = new Run(
    serving(20, (reply) => {
      silent -= 1;
      return silent >= 0 ? EMPTY : reply;
    }),
  );
  await run.read(...windows(1));
  // Five windows, and two corroborating questions.
  silent = 7;
  await run.read(...windows(5, 1));
  await run.empty.settle(false);
  expect(run.windows(6)).toEqual(right(6));
});

test('empty parts of a run are withdrawn after a later false answer', async () => {
  let silent = 0;
  // The first answer about window 2 is false, although its list answers correctly.
  const run = new Run(
    serving(60, (reply, window, reading) => {
      silent -= 1;
      return silent >= 0 || (window === 2 && reading === 1) ? EMPTY : reply;
    }),
  );
  // More than forty empty parts, so they land before the run ends.
  await run.read(...windows(100));
  expect(run.windows(3)[2]).toBe('complete 0');
  // Three windows, and the corroborating question.
  silent = 4;
  await run.read(...windows(3, 100));
  await run.empty.settle(false);
  expect(run.landings.some(({ as }) => as === 'suspended')).toBe(true);
  expect(run.windows(100)).toEqual(right(100));
});

describe('the share of false answers', () => {
  test.each([0.3, 0.4])('of %f is compensated by more readings', async (share) => {
    const random = seededRandom(5);
    const readings = new Map<number, number>();
    const run = new Run(
      serving(10, (reply, window, reading) => {
        readings.set(window, reading);
        return random() < share ? EMPTY : reply;
      }),
    );
    await run.read(...windows(20));
    await run.empty.settle(false);
    expect(run.windows(20)).toEqual(right(20));
    // Enough readings of a window without records to make a false result less likely than 1e-6.
    const least = Math.log(1e-6) / Math.log(share * 0.7);
    expect(readings.get(19)).toBeGreaterThanOrEqual(Math.floor(least));
  });

  test('of more than a half makes empty answers inconsistent', async () => {
    const random = seededRandom(5);
    const run = new Run(serving(10, (reply) => (random() < 0.8 ? EMPTY : reply)));
    await run.read(...windows(20));
    await run.empty.settle(false);
    expect(run.windows(20)).not.toContain('complete 0');
  });
});

describe('a second reading', () => {
  const bare = 'mainchain/zone/block/transaction-list-multi';
  const zone = (from: number): Slice =>
    sliceOf({ list: listNamed(bare), keys: [''], interval: { from, to: from + 99 } });

  test.each([
    ['the first reading', 1],
    ['the first two readings, and the known question after them', 2],
  ])('finds false empty answers of lists without page counts: %s', async (_name, most) => {
    const blocks = [
      { hash: '0x2', blockHeight: '250' },
      { hash: '0x1', blockHeight: '50' },
    ];
    let readings = 0;
    let isKnownFalse = most > 1;
    const run = new Run(
      new Lister(blocks, {
        tamper: (reply, { query }) => {
          if (query['startBlockHeight'] === '200') {
            readings += 1;
            return readings > most ? reply : { records: [] };
          }
          if (readings < most || !isKnownFalse || query['startBlockHeight'] !== '50') return reply;
          isKnownFalse = false;
          return { records: [] };
        },
      }),
    );
    await run.read(zone(0), zone(200), zone(0));
    await run.empty.settle(false);
    expect(run.windows(3)[2]).toBe('complete 1');
    expect(run.landedEmpty(250)).toBe(0);
  });

  const silentOnce = () =>
    serving(20, (reply, window, reading) => (window === 4 && reading === 1 ? EMPTY : reply));

  test('finds them in every list with `proof: strict`, and leaves the newest blocks open', async () => {
    for (const [head, status] of [
      [1_000_000, 'complete'],
      [2_000, 'provisional'],
    ] as const) {
      const run = new Run(silentOnce(), 'strict');
      run.head = head;
      await run.read(...windows(7));
      await run.empty.settle(false);
      expect(run.windows(7)).toEqual(right(7).map((text) => text.replace(/.* 0$/, `${status} 0`)));
      expect(run.landedEmpty(450)).toBe(0);
    }
  });

  test.each([
    ['its first reading', 0],
    ['its first reading and three answers in a row', 3],
  ])(
    'finds a surprising one, because the key has many records elsewhere: %s',
    async (_name, row) => {
      const list = Array.from({ length: 100 }, (_, i) => record(990 - i * 10, { txId: `0x${i}` }));
      let readings = 0;
      let left = 0;
      const lister = new Lister(list, {
        tamper: (reply, { query }) => {
          if (query['startBlockHeight'] === '600') readings += 1;
          if (query['startBlockHeight'] === '600' && readings === 2) left = row;
          if (readings === 1 && query['startBlockHeight'] === '600') return EMPTY;
          left -= 1;
          return left >= 0 ? EMPTY : reply;
        },
      });
      const run = new Run(lister);
      await run.read(...windows(10));
      await run.empty.settle(false);
      expect(readings).toBeGreaterThan(1);
      expect(run.windows(10)[6]).toMatch(/^complete [1-9]/);
      expect(run.landedEmpty(650)).toBe(0);
    },
  );

  test('of ten or fewer empty answers finds them at the end of a small run', async () => {
    const run = new Run(
      serving(20, (reply, window, reading) => (window === 2 && reading === 1 ? EMPTY : reply)),
    );
    await run.read(...windows(7));
    await run.empty.settle(false);
    expect(run.suspicions).toHaveLength(1);
    expect(run.windows(7)).toEqual(right(7));
  });

  test('of a sample finds them at the end of a long run', async () => {
    // The sample contains the 50th of 100 empty parts, because `random` returns 0.5.
    const run = new Run(
      serving(100, (reply, window, reading) => (window === 98 && reading === 1 ? EMPTY : reply)),
    );
    await run.read(...windows(196));
    await run.empty.settle(false);
    expect(run.suspicions).toHaveLength(1);
    expect(run.windows(196)).toEqual(right(196));
  });
});

test('a list without any record is read several times at the end, because it may be false', async () => {
  // Window 1 has one false empty answer, window 2 has two.
  const run = new Run(
    serving(1, (reply, window, reading) => (window >= 0 && reading < 3 ? EMPTY : reply)),
  );
  await run.read(...windows(2));
  await run.empty.settle(false);
  expect(run.suspicions).toHaveLength(1);
  expect(run.windows(2)).toEqual(right(2));
  expect(run.pauses).toBe(1);
});

describe('an empty answer whose end no answer with records has', () => {
  const upTo = (index: number, ...heights: number[]): Run => {
    const list = heights.map((height) => record(height, { txId: `0x${height}` }));
    const run = new Run(
      new Lister(list, {
        tamper: (reply, { query }) => (Number(query['endBlockHeight']) > index ? EMPTY : reply),
      }),
    );
    run.head = 400;
    return run;
  };

  test('is complete if a known record is listed for this end', async () => {
    const run = upTo(400, 250, 50);
    await run.read(...windows(4));
    await run.empty.settle(false);
    expect(run.windows(4)).toEqual(['complete 1', 'complete 0', 'complete 1', 'complete 0']);
  });

  test('is provisional if no known record is listed for this end', async () => {
    const run = upTo(320, 350, 250, 50);
    await run.read(...windows(4));
    await run.empty.settle(false);
    expect(run.windows(4)).toEqual(['complete 1', 'complete 0', 'complete 1', 'provisional 0']);
    expect(run.suspicions).toEqual([]);
  });

  test('is provisional in the newest blocks if no record is known', async () => {
    const run = upTo(320, 350);
    await run.read(...windows(4));
    run.head = 20_000;
    await run.read(sliceOf({ list: listNamed(NORMAL), interval: { from: 400, to: 499 } }));
    await run.empty.settle(false);
    expect(run.windows(5)).toEqual([...Array(4).fill('provisional 0'), 'complete 0']);
  });

  test('is read in pieces if it begins where the list has blocks', async () => {
    const run = upTo(320, 350, 250, 50);
    await run.read(...windows(3));
    await run.read(sliceOf({ list: listNamed(NORMAL), interval: { from: 210, to: 399 } }));
    await run.empty.settle(false);
    expect(run.statusAt(250)).toBe('complete');
    expect(run.statusAt(350)).toBe('provisional');
  });
});

describe('an empty answer for a range that is too wide', () => {
  const LIST_OF_BLOCK = 'mainchain/block/transaction-list';
  const at = (from: number, to: number): Slice =>
    sliceOf({ list: listNamed(NORMAL), interval: { from, to } });
  /** Lists of blocks have no records, unless `block` has some. */
  const upTo = (blocks: number, heights: readonly number[], block?: number) => {
    const list = heights.map((height) => record(height, { txId: `0x${height}` }));
    return new Lister(list, {
      tamper: (reply, { endpoint, query }) => {
        const newest = [{ height: String(block ?? 0), txnCount: block === undefined ? '' : '3' }];
        if (endpoint.servesHead === true) return { ...reply, records: newest };
        if (endpoint.path === LIST_OF_BLOCK) return block === undefined ? EMPTY : reply;
        const { startBlockHeight: from, endBlockHeight: to } = query;
        return Number(to) - Number(from) + 1 > blocks ? EMPTY : reply;
      },
    });
  };

  test('is not complete by a request that was one block narrower', async () => {
    const run = new Run(upTo(10_000, [35_000, 21_000, 15_000]), 'standard', {});
    // The first request has a block beside its interval.
    await run.read(at(10_000, 19_999), at(20_000, 24_999), at(30_000, 39_999));
    await run.empty.settle(false);
    expect(run.landedEmpty(15_000)).toBe(0);
    expect(run.statusAt(15_000)).toBe('complete');
  });

  test('is not complete if a list of a block has a record', async () => {
    const run = new Run(upTo(1_000, [15_000], 15_000));
    await run.read(at(0, 9_999), at(10_000, 19_999));
    await run.empty.settle(false);
    expect(run.landedEmpty(15_000)).toBe(0);
    expect(run.statusAt(15_000)).not.toBe('complete');
  });

  test('is found out by narrow ranges if no list of a block has records', async () => {
    const run = new Run(upTo(1_000, [19_500]));
    await run.read(at(0, 9_999), at(10_000, 19_999));
    await run.empty.settle(false);
    expect(run.statusAt(19_500)).toBe('complete');
    expect(run.landedEmpty(19_500)).toBe(0);
  });

  test('is withdrawn if it landed before the list had a record', async () => {
    const run = new Run(upTo(5_000, [5_000_100, 500_100]));
    const wide = Array.from({ length: 400 }, (_, i) => at(i * 10_000, i * 10_000 + 9_999));
    run.head = 10_000_000;
    await run.read(...wide);
    expect(run.statusAt(500_100)).toBe('complete');
    await run.read(at(5_000_000, 5_000_999));
    await run.empty.settle(false);
    const last = run.landings.findLast(({ slice }) => contains(slice.interval, 500_100));
    expect(last).toMatchObject({ status: 'complete', records: 1 });
  });
});

test('a group of keys that makes an answer empty is read one key at a time', async () => {
  const list = [record(12_050, { txId: '0x2' }), record(50, { from: B, txId: '0x1' })];
  const run = new Run(
    new Lister(list, {
      tamper: (reply, { query }) => (query['address']?.includes(',') ? EMPTY : reply),
    }),
  );
  const at = (keys: string[], from: number, to: number): Slice =>
    sliceOf({ list: listNamed(NORMAL), keys, interval: { from, to } });
  await run.read(at([A], 12_000, 19_999), at([B, C], 0, 9_999), at([B, C], 10_000, 19_999));
  await run.empty.settle(false);
  const landings = run.landings.filter(({ records, slice }) => records > 0 && slice.keys[0] === B);
  expect(landings.map(({ status }) => status)).toEqual(['complete']);
});

describe('ranges that exclude their first block', () => {
  // The span leaves no room for an extra block below.
  const at = (from: number): Slice =>
    sliceOf({ list: listNamed(NORMAL), interval: { from, to: from + 9_999 } });

  test.each([1, 45])('cause %i earlier empty parts to be read again', async (count) => {
    const first = record(10_000, { txId: '0x1' });
    const list = [record(9_000_050, { txId: '0x2' }), first];
    const run = new Run(new Lister(list, { excludes: { from: true } }), 'standard', {});
    await run.read(...Array.from({ length: count }, (_, i) => at((i + 1) * 10_000)));
    await run.read(at(9_000_000));
    await run.empty.settle(false);
    const landings = run.landings.filter(({ records }) => records > 0);
    expect(landings.map(({ slice }) => slice.interval.from)).toContain(10_000);
    expect(run.statusAt(10_000)).toBe('complete');
    // All of them wait for an answer with records at their ends.
    expect(run.landedEmpty(10_000)).toBe(0);
  });
});

describe('an interrupted run', () => {
  test('reads no part again, and leaves doubtful parts to the next run', async () => {
    let isDumb = false;
    const lister = serving(20, (reply) => (isDumb ? EMPTY : reply));
    const run = new Run(lister);
    await run.read(...windows(2));
    isDumb = true;
    await run.read(...windows(2, 2));
    run.facts.sawAnswer('another list', false);
    const before = lister.requests;
    await run.empty.settle(true);
    expect(run.windows(4)).not.toContain('complete 0');
    // Only the known questions that estimate the share of false answers, and no part.
    expect(lister.requests - before).toBeLessThan(100);
  });
});

test('an empty part fails if its corroboration gets no answer', async () => {
  const inner = serving(1);
  let isLost = false;
  const caller: Caller = {
    call: async (endpoint: Endpoint, query) => {
      if (!isLost) return inner.call(endpoint, query);
      const about = { code: 'network', endpoint: endpoint.path, detail: 'lost' };
      throw new CallFailure('transient', about);
    },
  };
  const run = new Run(caller);
  await run.read(...windows(2));
  isLost = true;
  run.facts.sawAnswer('another list', false);
  await run.empty.settle(false);
  expect(run.windows(2)).toEqual(['complete 1', ' 0']);
  expect(run.failures).toHaveLength(1);
});

test.each(['permanent', 'transient'] as const)(
  'a part whose second reading meets a %s failure is complete no more',
  async (outcome) => {
    const inner = serving(60);
    let isLost = false;
    const caller: Caller = {
      call: async (endpoint: Endpoint, query) => {
        if (isLost && query['startBlockHeight'] !== undefined) {
          const about = { code: 'network', endpoint: endpoint.path, detail: 'lost' };
          throw new CallFailure(outcome, about);
        }
        return inner.call(endpoint, query);
      },
    };
    const run = new Run(caller);
    await run.read(...windows(100));
    const before = run.windows(4);
    isLost = true;
    await run.empty.settle(false);
    expect(before).toEqual(right(4));
    expect(run.landings.at(-1)).toMatchObject({ status: 'inconsistent', as: 'suspended' });
  },
);

test('a session of short runs lands empty provisional parts at once, and others as usual', async () => {
  const lister = new Lister([record(50)]);
  const facts = new ListFacts({});
  facts.learnEdges(NORMAL, { from: true, to: true });
  const empty = new EmptyAnswers({
    caller: lister,
    facts,
    random: () => 0.5,
    pause: async () => undefined,
    session: { density: new KeyDensity() },
  });
  const landed: string[] = [];
  const to = {
    head: 1_000_000,
    settings: settingsOf({ facts }),
    land: async (part: FetchedPart) => void landed.push(part.status),
    fail: () => undefined,
  };
  const nothing = { records: [], pending: [], requests: 1, reason: '' };
  await empty.take(
    { ...nothing, slice: sliceOf({ interval: { from: 60, to: 70 } }), status: 'provisional' },
    to,
  );
  expect(landed).toEqual(['provisional']);
  await empty.take(
    { ...nothing, slice: sliceOf({ interval: { from: 71, to: 80 } }), status: 'complete' },
    to,
  );
  expect(landed).toEqual(['provisional']);
});
