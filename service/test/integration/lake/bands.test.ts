import { rm } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { curatedFiles } from '../../../../src/curate/curate.ts';
import { LIST, SmallLake, transaction } from '../../../../test/fixtures/load-lake.ts';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { lengthened } from '../../../../test/fixtures/short-addresses.ts';
import { joinBands, partHeights } from '../../../src/lake/bands.ts';
import { type LakeSource, lakeSource } from '../../../src/lake/lake-source.ts';
import { Recent } from '../../../src/memory/recent.ts';

/** Goal: a list is counted and read in parts, and what a client has paged through is kept. */

describe('bands', () => {
  it('are joined, the newest first, while they have few records', () => {
    const at = (height: number, count: number) => ({ from: height, to: height, count });
    expect(joinBands([at(1, 500), at(2, 900), at(4, 900), at(9, 300)])).toEqual([
      { from: 4, to: 9, count: 1_200 },
      { from: 1, to: 2, count: 1_400 },
    ]);
    expect(joinBands([at(1, 1), at(2, 5_000), at(3, 1)])).toEqual([
      at(3, 1),
      at(2, 5_000),
      at(1, 1),
    ]);
    expect(joinBands([])).toEqual([]);
  });

  it('are counted height by height in short intervals, and in some thousand parts of long ones', () => {
    expect(partHeights({ from: 7, to: 7 })).toBe(1);
    expect(partHeights({ from: 1, to: 4_096 })).toBe(1);
    expect(partHeights({ from: 1, to: 4_097 })).toBe(2);
    expect(partHeights({ from: 0, to: 20_000_000 })).toBe(4_883);
  });
});

describe('values that are kept', () => {
  it('give way when they are used longest ago, and the newest one stays whatever its size', () => {
    const kept = new Recent<number>(10);
    kept.set('a', 1, 4);
    kept.set('b', 2, 4);
    expect(kept.get('a')).toBe(1);
    kept.set('c', 3, 4);
    expect(['a', 'b', 'c'].map((key) => kept.get(key))).toEqual([1, undefined, 3]);
    kept.set('d', 4, 100);
    expect(['a', 'c', 'd'].map((key) => kept.get(key))).toEqual([undefined, undefined, 4]);
    kept.set('d', 5, 1);
    kept.set('e', 6, 9);
    expect(['d', 'e'].map((key) => kept.get(key))).toEqual([5, 6]);
    kept.clear();
    kept.set('f', 7, 10);
    expect(['d', 'f'].map((key) => kept.get(key))).toEqual([undefined, 7]);
  });
});

/** A served lake of some transactions of 0xa, and a function that deletes its files. */
async function served(heights: readonly number[]) {
  const small = await SmallLake.open();
  onTestFinished(() => small.close());
  const records = heights.map((height, i) =>
    transaction({ txId: `0x${i.toString(16)}`, height: String(height) }),
  );
  await small.land(LIST.transactions, { keys: ['0xa'], records });
  await small.curate();
  const source = await lakeSource({ root: small.root, effects: quietEffects() });
  onTestFinished(() => source.close());
  const lose = async (): Promise<void> => {
    for (const path of (await curatedFiles(small.lake)).get('transactions') ?? []) await rm(path);
  };
  return { source, lose };
}

const KEYS = { columns: ['from_address', 'to_address'], values: [lengthened('0xa')] };

async function page(source: LakeSource, to: number, offset: number, count = 10) {
  const request = { dataset: 'transactions', keys: KEYS, filters: [], bounds: [] };
  const interval = { from: 1, to };
  const results = await source.find({ ...request, interval, oncePerKey: false, offset, count });
  return {
    total: results.total,
    heights: results.records.map((entry) => Number(entry['block_number'])),
  };
}

describe('a list of a served lake', () => {
  it('needs its files once, for all pages, and for fewer heights', async () => {
    const { source, lose } = await served(Array.from({ length: 90 }, (_, i) => i + 1));
    expect(await page(source, 90, 0, 2)).toEqual({ total: 90, heights: [90, 89] });
    await lose();
    expect(await page(source, 90, 40, 2)).toEqual({ total: 90, heights: [50, 49] });
    expect(await page(source, 60, 0, 2)).toEqual({ total: 60, heights: [60, 59] });
    await expect(page(source, 91, 0)).resolves.toMatchObject({ total: 90 });
    const others = source.find({
      dataset: 'transactions',
      interval: { from: 1, to: 90 },
      filters: [],
      bounds: [],
      oncePerKey: false,
      offset: 0,
      count: 1,
    });
    await expect(others).rejects.toMatchObject({ kind: 'internal' });
  });

  it('has pages in one order, however many records a block has', async () => {
    const many = 10_500;
    const { source } = await served([...Array.from({ length: many }, () => 7), 8, 6]);
    const first = await page(source, 8, 0, 3);
    expect(first).toEqual({ total: many + 2, heights: [8, 7, 7] });
    expect((await page(source, 8, many, 10)).heights).toEqual([7, 6]);
    const hashes = async (offset: number, count: number) => {
      const request = { dataset: 'transactions', keys: KEYS, filters: [], bounds: [] };
      const query = { ...request, interval: { from: 1, to: 8 }, oncePerKey: false };
      const { records } = await source.find({ ...query, offset, count });
      return records.map((record) => record['tx_hash']);
    };
    const whole = await hashes(0, many + 2);
    expect(new Set(whole).size).toBe(many + 2);
    expect(await hashes(5_000, 30)).toEqual(whole.slice(5_000, 5_030));
    expect(await hashes(many - 5, 30)).toEqual(whole.slice(many - 5));
  });
});
