import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CanonicalRecord, WireRecord } from '../../../../src/catalogue/record.ts';
import { LIST, SmallLake, transaction } from '../../../../test/fixtures/load-lake.ts';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { lengthened } from '../../../../test/fixtures/short-addresses.ts';
import {
  COMPARED,
  type TwoSources,
  twoSources,
  ZONE_TO,
} from '../../../../test/fixtures/two-sources.ts';
import { lakeSource } from '../../../src/lake/lake-source.ts';
import { isWithin } from '../../../src/protocol/record-values.ts';
import type { Bound, Query, Source } from '../../../src/protocol/source.ts';

/** Goal: pages are cut from one list, and counts are right for addresses of many records. */

let sources: TwoSources;
let lake: Source;

beforeAll(async () => {
  sources = await twoSources();
  ({ lake } = sources);
});

afterAll(() => sources.close());

const BOTH = ['from_address', 'to_address'];

/** A selection of some addresses. */
const named = () => ({ keys: { columns: BOTH, values: sources.keys } });

describe.each(Object.keys(COMPARED))('%s of a lake', (dataset) => {
  const request = (more: Partial<Query>): Query => ({
    dataset,
    interval: { from: 0, to: ZONE_TO },
    filters: [],
    bounds: [],
    oncePerKey: false,
    offset: 0,
    count: 100_000,
    ...more,
  });

  it('come in pages that together are the whole list', async () => {
    const whole = await lake.find(request(named()));
    const pages: CanonicalRecord[] = [];
    for (let offset = 0; offset < whole.total; offset += 7) {
      const page = await lake.find(request({ ...named(), offset, count: 7 }));
      expect(page.total).toBe(whole.total);
      pages.push(...page.records);
    }
    expect(pages).toEqual(whole.records);
    expect((await lake.find(request({ offset: 1_000_000, count: 7 }))).records).toEqual([]);
  });

  it('have a newest one, which is the first of the list', async () => {
    const { offset: _, count: __, ...selection } = request({});
    const [first] = (await lake.find(request({ count: 1 }))).records;
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
    const sizes = [0, 1, 18, 19, 20, 21, 40].map((zeros) => `1${'0'.repeat(zeros)}`);
    const finest = ['0.1', '1.5', `10.${'0'.repeat(17)}1`, `10.${'0'.repeat(18)}1`];
    const amounts = ['0', '9', '99999999999999999999', ...sizes, ...finest];
    const odd = amounts.map((amount, i) => transaction({ txId: `0x${i}`, amount }));
    const parts = await SmallLake.open();
    await parts.land(LIST.transactions, { keys: ['0xa'], records: odd });
    await parts.curate();
    const source = await lakeSource({ root: parts.root, effects: quietEffects() });
    const total = async (bounds: Bound[], interval = { from: 0, to: 99 }): Promise<number> => {
      const keys = { columns: BOTH, values: [lengthened('0xa'), lengthened('0xdead')] };
      const request = { dataset: 'transactions', interval, keys, filters: [], bounds };
      return (await source.find({ ...request, oncePerKey: false, offset: 0, count: 1 })).total;
    };
    for (const limit of [...amounts, '1.50', '007', `${finest.at(-1)}0`, `0${sizes.at(-1)}`]) {
      for (const sides of [{ least: limit }, { most: limit }, { least: '9', most: limit }]) {
        const bound = { column: 'amount', ...sides };
        const due = amounts.filter((amount) => isWithin({ amount }, bound));
        expect(await total([bound]), JSON.stringify(sides)).toBe(due.length);
      }
    }
    await parts.land(LIST.transactions, { keys: ['0xa'], records: range(0, MANY) });
    await parts.curate();
    await source.refresh();
    expect(await total([])).toBe(MANY);
    expect(await total([], { from: 0, to: 8 })).toBe(9 * 14);
    const others = range(10, MANY).map((entry) => ({ ...entry, from: '0xc', to: '0xd' }));
    await parts.land(LIST.transactions, { keys: ['0xa'], records: range(0, 10) });
    await parts.land(LIST.transactions, { keys: ['0xc'], records: others });
    await parts.curate();
    await source.refresh();
    expect(await total([])).toBe(10);
    await source.close();
    await parts.close();
  });
});
