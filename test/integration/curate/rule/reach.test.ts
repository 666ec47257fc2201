import { describe, expect, test } from 'vitest';
import type { Status } from '../../../../src/coverage/coverage.ts';
import { type LandedList, traitsOf } from '../../../../src/curate/rule/lists.ts';
import { type Reach, reachOf, statusRank } from '../../../../src/curate/rule/reach.ts';
import { LIST } from '../../../fixtures/load-lake.ts';

interface Known {
  readonly endpoint: string;
  readonly variant?: string;
  readonly key?: string;
  readonly from: number;
  readonly to: number;
  readonly status?: Status;
  readonly reason?: string;
}

/** What is known of a dataset, from entries in any order. */
function reach(dataset: string, ...state: readonly Known[]): Reach[] {
  const entries = state.map((item) => ({
    variant: '',
    key: '0xa',
    status: 'complete' as const,
    reason: '',
    head: 1000,
    readAtMs: 0,
    ...item,
  }));
  const lists = new Map<string, LandedList>();
  for (const { endpoint, variant } of entries) {
    lists.set(`${endpoint}?${variant}`, { dataset, endpoint, variant });
  }
  return reachOf(
    traitsOf([...lists.values()]).map((traits) => ({
      traits,
      groups: entries
        .filter(
          ({ endpoint, variant }) => endpoint === traits.endpoint && variant === traits.variant,
        )
        .map(({ endpoint, variant, key, ...part }) => {
          return { endpoint, variant, keys: [key], parts: [part] };
        }),
    })),
  );
}

const intervals = (results: readonly Reach[], side: Reach['side'] = 'from'): unknown[] =>
  results
    .filter((item) => item.side === side)
    .map(({ entry }) => [entry.from, entry.to, entry.status]);

describe('lists of the same records of an address', () => {
  test('stand in for each other: at every height the best status holds', () => {
    const results = reach(
      'transactions',
      { endpoint: LIST.transactions, from: 0, to: 49 },
      { endpoint: LIST.transactions, from: 50, to: 99, status: 'truncated' },
      { endpoint: LIST.ownTransactions, from: 0, to: 69, status: 'depth_limited' },
      { endpoint: LIST.ownTransactions, from: 70, to: 120 },
    );
    const expected = [
      [0, 49, 'complete'],
      [50, 69, 'truncated'],
      [70, 120, 'complete'],
    ];
    expect(intervals(results)).toEqual(expected);
    expect(intervals(results, 'to')).toEqual(expected);
  });
});

describe('lists of all', () => {
  const all = { endpoint: LIST.inBlock, variant: 'protocolType=transaction', key: '' };
  const ofAddress = (results: readonly Reach[]): unknown[] =>
    intervals(results.filter(({ keyKind }) => keyKind === 'address'));

  test('fill what is not complete for an address, and gaps, but nothing outside of its own', () => {
    const results = reach(
      'transactions',
      { endpoint: LIST.transactions, from: 10, to: 19 },
      { endpoint: LIST.transactions, from: 20, to: 29, status: 'failed' },
      { endpoint: LIST.transactions, from: 40, to: 49 },
      { ...all, from: 0, to: 35 },
      { ...all, from: 36, to: 60, status: 'provisional' },
    );
    expect(ofAddress(results)).toEqual([
      [10, 35, 'complete'],
      [36, 39, 'provisional'],
      [40, 49, 'complete'],
    ]);
    expect(intervals(results, '')).toEqual([
      [0, 35, 'complete'],
      [36, 60, 'provisional'],
    ]);
  });

  test('say nothing of an address that was never asked for', () => {
    expect(ofAddress(reach('transactions', { ...all, from: 0, to: 9 }))).toEqual([]);
  });
});

test('looked-up transactions are left out: nothing stands in for a look-up', () => {
  const results = reach('transactions', {
    endpoint: LIST.transactionsByHash,
    key: '0x1',
    from: 0,
    to: 9,
  });
  expect(results).toEqual([]);
});

test('neighbours are one interval where they say the same, with its reason', () => {
  const walk = { endpoint: LIST.transactions, status: 'truncated' as const };
  const results = reach(
    'transactions',
    { ...walk, from: 20, to: 29, reason: 'b' },
    { ...walk, from: 0, to: 9, reason: 'a' },
    { ...walk, from: 10, to: 19, reason: 'a' },
  ).filter(({ side }) => side === 'from');
  expect(results.map(({ entry }) => [entry.from, entry.to, entry.reason])).toEqual([
    [0, 19, 'a'],
    [20, 29, 'b'],
  ]);
});

test('the CPU time for many intervals of many lists grows with their number alone', () => {
  const cpuOf = (count: number): number => {
    const state = Array.from({ length: count }, (_, i) => ({
      endpoint: i % 2 === 0 ? LIST.transactions : LIST.ownTransactions,
      from: i * 3,
      to: i * 3 + 4,
      reason: String(i),
    }));
    const times = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      expect(intervals(reach('transactions', ...state))).toEqual([[0, count * 3 + 1, 'complete']]);
      return process.cpuUsage(before).user;
    });
    return Math.min(...times);
  };
  cpuOf(1_000);
  // Comparing every interval with every other one would take 64 times as long.
  expect(cpuOf(16_000) / cpuOf(2_000)).toBeLessThan(32);
});

test('the ranks of the statuses begin with complete', () => {
  expect([statusRank('complete'), statusRank('failed')]).toEqual([1, 6]);
});
