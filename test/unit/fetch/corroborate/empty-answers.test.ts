import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../../src/catalogue/entry.ts';
import type { Slice } from '../../../../src/coverage/slice.ts';
import type { LandsAs } from '../../../../src/fetch/corroborate/destination.ts';
import { EmptyAnswers } from '../../../../src/fetch/corroborate/empty-answers.ts';
import { type FetchedPart, fetchSlice } from '../../../../src/fetch/fetch-slice.ts';
import { CallFailure } from '../../../../src/fetch/http/call-failure.ts';
import type { Caller, PageReply } from '../../../../src/fetch/http/caller.ts';
import { ListFacts, type RangeEdges } from '../../../../src/fetch/walk/list-facts.ts';
import type { Proof } from '../../../../src/pipeline/pipeline.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { Lister } from '../../../fixtures/walk-lister.ts';
import { NORMAL, record, settingsOf, sliceOf } from '../../../fixtures/walk-setup.ts';

/**
 * Goal: an empty answer lands as complete only once other answers of the service support it, and
 * all empty answers of a run are taken back as soon as one of them is known to be false.
 */

interface Landing {
  readonly slice: Slice;
  readonly status: string;
  readonly records: number;
  readonly as: LandsAs;
}

/** A run over a service: slices are walked and handed over, and what lands is kept. */
class Run {
  readonly landings: Landing[] = [];
  readonly failures: string[] = [];
  readonly suspicions: string[] = [];
  readonly facts = new ListFacts({});
  readonly empty: EmptyAnswers;
  pauses = 0;
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
        await this.empty.take(part, { settings, land, fail });
      }
    }
  }

  /** The status of the last landing at a height; '' where nothing landed. */
  statusAt(height: number): string {
    const of = ({ slice }: Landing): boolean =>
      slice.interval.from <= height && slice.interval.to >= height;
    return this.landings.findLast(of)?.status ?? '';
  }

  /** What became of windows, by their numbers: their status, and how many records ever landed. */
  windows(count: number): string[] {
    return Array.from({ length: count }, (_, i) => {
      const landed = this.landings.filter(
        ({ slice }) => Math.floor(slice.interval.from / 100) === i,
      );
      const records = Math.max(0, ...landed.map((each) => each.records));
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
 * A record in every second window, from the first one. `says` gives the answer to a question about a
 * window (or about none, for the newest block) in place of the right one.
 */
function serving(
  windowsOfRecords: number,
  says: (reply: PageReply, window: number, reading: number) => PageReply = (reply) => reply,
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
/** The right end of windows, of which every second one has a record. */
const right = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `complete ${(i + 1) % 2}`);

test('a part with records lands at once, and an empty one when a later answer has records', async () => {
  const run = new Run(serving(1));
  await run.read(...windows(2));
  expect(run.landings.map(({ status, records }) => [status, records])).toEqual([['complete', 1]]);
  await run.empty.settle(false);
  expect(run.windows(2)).toEqual(right(2));
  expect(run.landings.every(({ as }) => as === 'new')).toBe(true);
});

test('an empty list is corroborated by the newest block where nothing else has records', async () => {
  const lister = new Lister([], {
    tamper: (reply, { endpoint }) =>
      endpoint.servesHead === true ? { ...reply, records: [{ height: '700' }] } : reply,
  });
  const run = new Run(lister);
  await run.read(...windows(1));
  expect(run.landings).toEqual([]);
  await run.empty.settle(false);
  expect(run.windows(1)).toEqual(['complete 0']);
  expect(lister.asked.some(({ endpoint }) => endpoint.servesHead === true)).toBe(true);
});

test('nothing lands as complete from a service that answers all questions with nothing', async () => {
  const run = new Run(new Lister([]));
  await run.read(...windows(3));
  await run.empty.settle(false);
  expect(run.windows(3)).toEqual(['inconsistent 0', 'inconsistent 0', 'inconsistent 0']);
});

test('empty parts after which the list answers nothing more do not land as complete', async () => {
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

test('a service that was silent for a while is read again, and nothing is lost', async () => {
  let silent = 0;
  const run = new Run(
    serving(20, (reply) => {
      silent -= 1;
      return silent >= 0 ? EMPTY : reply;
    }),
  );
  await run.read(...windows(1));
  // Five windows, and two of the questions that corroborate them.
  silent = 7;
  await run.read(...windows(5, 1));
  await run.empty.settle(false);
  expect(run.windows(6)).toEqual(right(6));
});

test('empty parts of a run are taken back when a later answer is found to be false', async () => {
  let silent = 0;
  // The first answer about window 2 is false, beside a list that answers well.
  const run = new Run(
    serving(60, (reply, window, reading) => {
      silent -= 1;
      return silent >= 0 || (window === 2 && reading === 1) ? EMPTY : reply;
    }),
  );
  // More than forty empty parts, so that they land before the run ends.
  await run.read(...windows(100));
  expect(run.windows(3)[2]).toBe('complete 0');
  // Three windows, and the question that corroborates them.
  silent = 4;
  await run.read(...windows(3, 100));
  await run.empty.settle(false);
  expect(run.landings.some(({ as }) => as === 'suspended')).toBe(true);
  expect(run.windows(100)).toEqual(right(100));
});

describe('the share of false answers', () => {
  /** Deterministic numbers from 0 to 1 (the recipe of `mulberry32`). */
  function numbers(seed: number): () => number {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    };
  }

  test.each([0.3, 0.4])('of %f is made up for by more readings', async (share) => {
    const random = numbers(5);
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
    // As many readings of a window without records as make a false end less likely than 1e-6.
    const least = Math.log(1e-6) / Math.log(share * 0.7);
    expect(readings.get(19)).toBeGreaterThanOrEqual(Math.floor(least));
  });

  test('of more than a half leaves nothing to believe', async () => {
    const random = numbers(5);
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

  test('finds false empty answers of lists that cannot say that they are empty', async () => {
    const blocks = [
      { hash: '0x2', blockHeight: '250' },
      { hash: '0x1', blockHeight: '50' },
    ];
    let isOnce = true;
    const run = new Run(
      new Lister(blocks, {
        tamper: (reply, { query }) => {
          if (!isOnce || query['startBlockHeight'] !== '200') return reply;
          isOnce = false;
          return { records: [] };
        },
      }),
    );
    await run.read(zone(0), zone(200), zone(0));
    await run.empty.settle(false);
    expect(run.windows(3)[2]).toBe('complete 1');
  });

  const silentOnce = () =>
    serving(20, (reply, window, reading) => (window === 4 && reading === 1 ? EMPTY : reply));

  test('finds them in every list with `proof: strict`', async () => {
    const run = new Run(silentOnce(), 'strict');
    await run.read(...windows(7));
    await run.empty.settle(false);
    expect(run.windows(7)).toEqual(right(7));
  });

  test('finds one that is surprising, because the key has many records elsewhere', async () => {
    const list = Array.from({ length: 100 }, (_, i) => record(990 - i * 10, { txId: `0x${i}` }));
    let isOnce = true;
    const lister = new Lister(list, {
      tamper: (reply, { query }) => {
        if (!isOnce || query['startBlockHeight'] !== '600') return reply;
        isOnce = false;
        return EMPTY;
      },
    });
    const run = new Run(lister);
    await run.read(...windows(10));
    await run.empty.settle(false);
    expect(isOnce).toBe(false);
    expect(run.windows(10)[6]).toMatch(/^complete [1-9]/);
  });

  test('of a sample finds them at the end of a long run', async () => {
    // The sample has the 50th of a hundred empty parts: `random` is a half.
    const run = new Run(
      serving(100, (reply, window, reading) => (window === 98 && reading === 1 ? EMPTY : reply)),
    );
    await run.read(...windows(196));
    await run.empty.settle(false);
    expect(run.suspicions).toHaveLength(1);
    expect(run.windows(196)).toEqual(right(196));
  });
});

test('a list without any record is read several times at the end, because it may be silent', async () => {
  // Both windows are empty once, and the second of them twice.
  const run = new Run(
    serving(1, (reply, window, reading) => (window >= 0 && reading < 3 ? EMPTY : reply)),
  );
  await run.read(...windows(2));
  await run.empty.settle(false);
  expect(run.suspicions).toHaveLength(1);
  expect(run.windows(2)).toEqual(right(2));
  expect(run.pauses).toBe(1);
});

describe('ranges that leave out their first block', () => {
  // The span leaves no room to ask for a block below as well.
  const at = (from: number): Slice =>
    sliceOf({ list: listNamed(NORMAL), interval: { from, to: from + 9_999 } });

  test.each([1, 45])('have %i empty parts that were read before this was known', async (count) => {
    const first = record(10_000, { txId: '0x1' });
    const list = [record(9_000_050, { txId: '0x2' }), first];
    const run = new Run(new Lister(list, { excludes: { from: true } }), 'standard', {});
    await run.read(...Array.from({ length: count }, (_, i) => at((i + 1) * 10_000)));
    await run.read(at(9_000_000));
    await run.empty.settle(false);
    const found = run.landings.filter(({ records }) => records > 0);
    expect(found.map(({ slice }) => slice.interval.from)).toContain(10_000);
    expect(run.statusAt(10_000)).toBe('complete');
  });
});

describe('an interrupted run', () => {
  test('reads nothing again, and leaves doubted parts to the next one', async () => {
    let isDumb = false;
    const lister = serving(20, (reply) => (isDumb ? EMPTY : reply));
    const run = new Run(lister);
    await run.read(...windows(2));
    isDumb = true;
    await run.read(...windows(2, 2));
    run.facts.sawAnswer(false);
    const before = lister.requests;
    await run.empty.settle(true);
    expect(run.windows(4)).not.toContain('complete 0');
    // The evidence that tells how many answers are false, and no part.
    expect(lister.requests - before).toBeLessThan(100);
  });
});

test('an empty part whose corroboration gets no answer has failed', async () => {
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
  run.facts.sawAnswer(false);
  await run.empty.settle(false);
  expect(run.windows(2)).toEqual(['complete 1', ' 0']);
  expect(run.failures).toHaveLength(1);
});
