import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CanonicalRecord, WireRecord } from '../../../../src/catalogue/record.ts';
import { SmallLake, TRANSACTIONS, transaction } from '../../../../test/fixtures/load-lake.ts';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { lengthened } from '../../../../test/fixtures/short-addresses.ts';
import {
  answered,
  COMPARED,
  FROM,
  type TwoSources,
  twoSources,
  ZONE_TO,
} from '../../../../test/fixtures/two-sources.ts';
import { lakeSource } from '../../../src/lake/lake-source.ts';
import type { Bound, Naming, Query, Source } from '../../../src/protocol/source.ts';

/**
 * Goal: a lake answers every question as the records themselves do, although it holds them twice:
 * in lists of whole blocks and in lists of some addresses. Both sources are asked the same, and
 * their answers compared by what all lists say of a record.
 */

let sources: TwoSources;
let lake: Source;
let plain: Source;

beforeAll(async () => {
  sources = await twoSources();
  ({ lake, plain } = sources);
});

afterAll(() => sources.close());

const all = (dataset: string): readonly CanonicalRecord[] => sources.records.get(dataset) ?? [];
const keys = (): readonly string[] => sources.keys;

const BOTH = ['from_address', 'to_address'];
const PARTS: Readonly<Record<string, Partial<Query>>> = {
  everything: {},
  'an interval': { interval: { from: FROM + 20, to: FROM + 31 } },
  'an empty interval': { interval: { from: 20, to: 10 } },
};
const NAMINGS: Readonly<Record<string, () => { keys?: Naming; filters?: Naming[] }>> = {
  'without keys': () => ({}),
  'of addresses': () => ({ keys: { columns: BOTH, values: keys() } }),
  'of senders alone': () => ({ keys: { columns: ['from_address'], values: keys() } }),
  'of a stranger': () => ({ keys: { columns: BOTH, values: ['0xdead'] } }),
  'of addresses among each other': () => ({
    keys: { columns: BOTH, values: keys() },
    filters: [{ columns: ['to_address'], values: keys() }],
  }),
};

describe.each(Object.keys(COMPARED))('%s of a lake', (dataset) => {
  const asked = (more: Partial<Query>): Query => ({
    dataset,
    interval: { from: 0, to: ZONE_TO },
    filters: [],
    bounds: [],
    oncePerKey: false,
    offset: 0,
    count: 100_000,
    ...more,
  });

  it.each(Object.keys(PARTS))(
    'are found in %s as in the records, and in their order',
    async (part) => {
      for (const [name, naming] of Object.entries(NAMINGS)) {
        for (const oncePerKey of [false, true]) {
          const query = asked({ ...PARTS[part], ...naming(), oncePerKey });
          expect(await answered(lake, query), name).toEqual(await answered(plain, query));
        }
      }
    },
  );

  it('are found by their hashes', async () => {
    const columns =
      dataset === 'cross_chain_transfers' ? ['zone_tx_hash', 'main_tx_hash'] : ['tx_hash'];
    const some = all(dataset).filter((_, i) => i % 50 === 0);
    const values = [
      ...new Set(some.flatMap((record) => columns.map((each) => String(record[each])))),
    ];
    for (const keyed of [{ keys: { columns, values } }, { filters: [{ columns, values }] }]) {
      const query = asked(keyed);
      const found = await answered(lake, query);
      expect(found[0]).toBeGreaterThan(0);
      expect(found).toEqual(await answered(plain, query));
    }
  });

  it('come in pages that together are the whole list', async () => {
    const whole = await lake.find(asked(NAMINGS['of addresses']?.() ?? {}));
    const pages: CanonicalRecord[] = [];
    for (let offset = 0; offset < whole.total; offset += 7) {
      const page = await lake.find(asked({ ...NAMINGS['of addresses']?.(), offset, count: 7 }));
      expect(page.total).toBe(whole.total);
      pages.push(...page.records);
    }
    expect(pages).toEqual(whole.records);
    expect((await lake.find(asked({ offset: 1_000_000, count: 7 }))).records).toEqual([]);
  });

  it('lie within bounds of their amounts and times', async () => {
    const amounts = all(dataset).flatMap(({ amount }) =>
      typeof amount === 'string' ? [amount] : [],
    );
    const middle = amounts.sort((a, b) => Number(a) - Number(b))[amounts.length >> 1] ?? '0';
    const bounds: Bound[] = [
      { column: 'amount', least: middle },
      { column: 'amount', most: middle },
      {
        column: 'amount',
        least: `${middle}${middle.includes('.') ? '' : '.'}0000000000000000000001`,
      },
      { column: 'amount', least: '-1', most: '9'.repeat(70) },
    ];
    for (const bound of bounds) {
      const query = asked({ bounds: [bound] });
      const found = await answered(lake, query);
      expect(found, JSON.stringify(bound)).toEqual(await answered(plain, query));
      expect(found[0]).toBeGreaterThan(0);
    }
    if (dataset !== 'transactions') return;
    const least = String(all(dataset)[100]?.['block_time']);
    const query = asked({ bounds: [{ column: 'block_time', least }] });
    expect(await answered(lake, query)).toEqual(await answered(plain, query));
  });

  it('lie within bounds and are named at once, by few addresses and by many', async () => {
    const everybody = new Set(all(dataset).flatMap((record) => BOTH.map((each) => record[each])));
    for (const values of [keys(), [...everybody].map(String)]) {
      for (const oncePerKey of [false, true]) {
        const named = asked({
          keys: { columns: BOTH, values },
          filters: [{ columns: ['to_address'], values }],
          bounds: [{ column: 'amount', least: '0.5' }],
          oncePerKey,
        });
        expect(await answered(lake, named)).toEqual(await answered(plain, named));
      }
    }
  });

  it('have a newest one, which is the first of the list', async () => {
    const { offset: _, count: __, ...selection } = asked({});
    const [first] = (await lake.find(asked({ count: 1 }))).records;
    expect(await lake.newest(selection)).toEqual(first);
  });
});

describe('an address of very many records', () => {
  const MANY = 1_200;
  const numbered = (nth: number): WireRecord =>
    transaction({ txId: `0x${nth.toString(16)}`, height: String(nth % 90), amount: String(nth) });
  const range = (from: number, to: number): WireRecord[] =>
    Array.from({ length: to - from }, (_, i) => numbered(from + i));

  it('has all of them counted, within bounds too, and while the lake grows and shrinks', async () => {
    const own = await SmallLake.open();
    await own.land(TRANSACTIONS, { keys: ['0xa'], records: range(0, MANY) });
    await own.curate();
    const source = await lakeSource({ root: own.root, effects: quietEffects() });
    const total = async (bounds: Bound[], interval = { from: 0, to: 99 }): Promise<number> => {
      const keys = { columns: BOTH, values: [lengthened('0xa'), lengthened('0xdead')] };
      const asked = { dataset: 'transactions', interval, keys, filters: [], bounds };
      return (await source.find({ ...asked, oncePerKey: false, offset: 0, count: 1 })).total;
    };
    expect(await total([])).toBe(MANY);
    expect(await total([{ column: 'amount', least: '10' }])).toBe(MANY - 10);
    expect(await total([], { from: 0, to: 8 })).toBe(9 * 14);
    await own.land(TRANSACTIONS, { keys: ['0xa'], records: range(0, MANY + 50) });
    await own.curate();
    await source.refresh();
    expect(await total([])).toBe(MANY + 50);
    expect(await total([{ column: 'amount', least: '10' }])).toBe(MANY + 40);
    const others = range(10, MANY).map((each) => ({ ...each, from: '0xc', to: '0xd' }));
    await own.land(TRANSACTIONS, { keys: ['0xa'], records: range(0, 10) });
    await own.land(TRANSACTIONS, { keys: ['0xc'], records: others });
    await own.curate();
    await source.refresh();
    expect(await total([])).toBe(10);
    await source.close();
    await own.close();
  });
});
