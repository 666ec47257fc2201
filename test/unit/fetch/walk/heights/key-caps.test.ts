import { expect, test } from 'vitest';
import type { WireRecord } from '../../../../../src/catalogue/record.ts';
import { keysNamedIn } from '../../../../../src/coverage/list.ts';
import { Lister } from '../../../../fixtures/walk-lister.ts';
import {
  A,
  B,
  C,
  fetched,
  record,
  settingsOf,
  sliceOf,
  statusesOf,
  textsOf,
} from '../../../../fixtures/walk-setup.ts';

/**
 * Goal: a service that lists only some records of each key of a group loses none, and one without
 * such a cap is sent few requests more.
 */

const KEYS = [A, B, C];
const STRANGER = `0x${'d'.repeat(40)}`;

/** Heights 199 to 100, some with several records, of which each fourth is of two keys. */
function recordsOf(seed: number): WireRecord[] {
  let state = seed;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const heights = Array.from({ length: 40 }, () => 100 + next(100)).sort((a, b) => b - a);
  return heights.map((height, i) => {
    const from = KEYS[Math.floor(next(9) ** 0.5)] ?? A;
    const to = next(4) === 0 ? (KEYS[next(3)] ?? A) : STRANGER;
    return record(height, { txId: `0x${i}`, from, to });
  });
}

/** Lists only the newest records of each key of a group of at least `least` keys. */
function capped(
  records: readonly WireRecord[],
  cap: number,
  { isOldestFirst = false, least = 2 } = {},
): Lister {
  return new Lister([], {
    before: (self) => {
      const keys = (self.calls.at(-1)?.query['address'] ?? '').split(',');
      const { startBlockHeight = 0, endBlockHeight = 0 } = self.calls.at(-1)?.query ?? {};
      const counts = new Map<string, number>();
      const shown = records.filter((row) => {
        const height = Number(row['height']);
        if (height < Number(startBlockHeight) || height > Number(endBlockHeight)) return false;
        const matched = keysNamedIn([String(row['from']), String(row['to'])]).filter((key) =>
          keys.includes(key),
        );
        const isShown = keys.length < least || matched.some((key) => (counts.get(key) ?? 0) < cap);
        for (const key of matched) counts.set(key, (counts.get(key) ?? 0) + 1);
        return isShown;
      });
      self.records = isOldestFirst ? shown.reverse() : shown;
    },
  });
}

test.each([2, 5, 12])('a cap of %i records for each key loses none', async (cap) => {
  for (let seed = 1; seed <= 3; seed += 1) {
    const records = recordsOf(seed);
    for (const isOldestFirst of [false, true]) {
      // A list that begins with the oldest record may hide them on a page that shows few of a key.
      const pageSize = isOldestFirst ? 50 : 10 * seed;
      const service = capped(records, cap, { isOldestFirst });
      const parts = await fetched(service, sliceOf({ keys: KEYS }), { pageSize });
      const context = `seed ${seed}, ${isOldestFirst ? 'oldest' : 'newest'} first`;
      expect(statusesOf(parts), context).toEqual(['complete']);
      expect([...new Set(textsOf(parts))], context).toEqual(textsOf([{ records }]));
    }
  }
});

test('a cap of one record is found, also where a key alone has it', async () => {
  const parts = await fetched(capped(recordsOf(1), 1, { least: 1 }), sliceOf({ keys: KEYS }));
  expect(statusesOf(parts)).toContain('truncated');
});

test('without a cap, only the pages with the most records of a key cost a request more', async () => {
  const settings = settingsOf();
  let requests = 0;
  for (let seed = 1; seed <= 12; seed += 1) {
    const service = capped(recordsOf(seed), Number.POSITIVE_INFINITY);
    await fetched(service, sliceOf({ keys: KEYS }), { ...settings, pageSize: 50 });
    requests += service.calls.filter(({ query }) => query['address'] !== KEYS.join()).length;
  }
  expect(requests).toBeLessThanOrEqual(5);
});

test('pages of fewer keys do not show that larger groups have no cap', async () => {
  const settings = settingsOf();
  const records = recordsOf(3);
  await fetched(capped(records, 3), sliceOf({ keys: [A] }), settings);
  await fetched(capped(records, 12), sliceOf({ keys: [A, B] }), settings);
  const parts = await fetched(capped(records, 3), sliceOf({ keys: KEYS }), settings);
  expect([...new Set(textsOf(parts))]).toEqual(textsOf([{ records }]));
});
