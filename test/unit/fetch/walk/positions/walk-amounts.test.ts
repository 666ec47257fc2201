import { describe, expect, test } from 'vitest';
import { decimalOf, decimalText, stepped } from '../../../../../src/catalogue/decimal.ts';
import type { WireRecord } from '../../../../../src/catalogue/record.ts';
import { type ListedRecord, parsedRecord } from '../../../../../src/catalogue/record-text.ts';
import { Lister, type ListerOptions } from '../../../../fixtures/walk-lister.ts';
import { fetched, summary, TOKEN, TRANSFERS } from '../../../../fixtures/walk-positions-setup.ts';

describe('a positional list that exceeds the record cap', () => {
  const transfer = (height: number, amount: string): WireRecord => {
    return { txid: '0x1', height: String(height), tokenContractAddress: TOKEN, amount };
  };
  const amounts = ['1', '2.5', '0.25', '12345678901234567890.000000000000000001', '7', '0', '3'];
  const list = Array.from({ length: 700 }, (_, i) =>
    transfer(1 + Math.floor((699 - i) / 2), amounts[i % 7] ?? ''),
  );

  test('is split by amounts, and its parts add up', async () => {
    const lister = new Lister(list, { cap: 200, ...growingTransfers() });
    const parts = await fetched(TRANSFERS, [10, 300], lister, { recordCap: 200 });
    expect(summary(parts)).toEqual([['complete', 10, 300, 582]]);
    const sorted = (records: readonly ListedRecord[]) =>
      records.map((record) => JSON.stringify(parsedRecord(record))).sort();
    const truth = list.filter(({ height }) => Number(height) >= 10 && Number(height) <= 300);
    expect(sorted(parts[0]?.records ?? [])).toEqual(sorted(truth));
  });

  test('is read without a split in the listed part', async () => {
    const lister = new Lister(list, { cap: 200 });
    const parts = await fetched(TRANSFERS, [300, 340], lister, { recordCap: 200 });
    expect(summary(parts)).toEqual([['complete', 300, 340, 82]]);
    expect(lister.asked.every(({ query }) => query['minAmount'] === undefined)).toBe(true);
  });

  test('keeps the amount bounds of the pipeline', async () => {
    const params = { minAmount: '2', maxAmount: '7' };
    const lister = new Lister(list, { cap: 100 });
    const parts = await fetched(TRANSFERS, [1, 350], lister, { recordCap: 100, params });
    expect(summary(parts)).toEqual([['complete', 1, 350, 300]]);
  });

  test('is truncated at the height where equal amounts exceed the cap', async () => {
    const equal = list.map((each, i) => (i % 7 === 6 ? each : { ...each, amount: '1' }));
    const lister = new Lister(equal, { cap: 200 });
    const parts = await fetched(TRANSFERS, [10, 300], lister, { recordCap: 200 });
    expect(parts.map(({ status }) => status)).toEqual(['complete', 'truncated']);
    const [above, below] = parts;
    expect(above?.records).toHaveLength(2 * (300 - (above?.slice.interval.from ?? 0) + 1));
    expect(below?.slice.interval).toEqual({
      from: 10,
      to: (above?.slice.interval.from ?? 0) - 1,
    });
    expect(below?.reason).toContain('of one amount');
    expect(below?.records.length).toBeGreaterThan(0);
  });

  test.each([5, 8, 11, 14, 17, 20])(
    'is complete although request %i returns no records',
    async (request) => {
      const lister = new Lister(list, {
        cap: 200,
        tamper: (reply, asked) =>
          asked.request === request ? { ...reply, records: [], totalPage: 0, total: 0 } : reply,
      });
      const parts = await fetched(TRANSFERS, [10, 300], lister, { recordCap: 200 });
      expect(summary(parts)).toEqual([['complete', 10, 300, 582]]);
    },
  );

  test('is inconsistent if the service ignores the amounts', async () => {
    const lister = new Lister(list, { cap: 200 });
    const deaf = {
      call: (endpoint: Parameters<Lister['call']>[0], query: Record<string, string>) => {
        const { minAmount, maxAmount, ...rest } = query;
        return lister.call(endpoint, rest);
      },
    };
    const parts = await fetched(TRANSFERS, [10, 300], deaf as unknown as Lister, {
      recordCap: 200,
    });
    expect(parts.map(({ status }) => status)).toEqual(['inconsistent']);
    expect(parts[0]?.reason).toContain('of 698 records');
  });

  test('includes amounts with more decimals than any seen before', async () => {
    const hidden = list.map((each, i) => (i === 650 ? { ...each, amount: '1.0000001' } : each));
    const lister = new Lister(hidden, { cap: 200 });
    const parts = await fetched(TRANSFERS, [1, 350], lister, { recordCap: 200 });
    expect(summary(parts)).toEqual([['complete', 1, 350, 700]]);
  });

  function growingTransfers(): ListerOptions {
    return {
      before: (lister) => {
        const newest = Number(lister.records[0]?.['height']);
        lister.records = [transfer(newest + 1, '2.5'), ...lister.records];
      },
    };
  }
});

test('decimals of any size are written unchanged', () => {
  for (const text of ['0', '1', '-1.5', '0.000001', '123456789012345678901234567890.5']) {
    const value = decimalOf(text);
    expect(value && decimalText(value)).toBe(text);
  }
  expect(decimalOf('1e400')).toBeUndefined();
  const one = decimalOf('1.00');
  expect(one && decimalText(stepped(one, -1n, 18))).toBe('0.999999999999999999');
  expect(one && decimalText(stepped(one, 1n, 0))).toBe('2');
});
