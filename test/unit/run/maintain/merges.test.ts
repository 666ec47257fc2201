import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DataFile } from '../../../../src/land/delta/actions.ts';
import { planMerges } from '../../../../src/run/maintain/merges.ts';
import { casesOf } from '../../../fixtures/thorough.ts';

/**
 * Goal: small files become few files of the target's size, every row is copied a logarithmic number
 * of times, and files that must stay apart stay apart.
 */

const TARGET = { bytes: 128_000_000, rows: 250_000 };
const LIST = { endpoint: 'list', variant: '' };

let made = 0;
function file(rows: number | undefined, more: Partial<DataFile> = {}): DataFile {
  made += 1;
  const sizeBytes = (rows ?? 1) * 100;
  const heights = { from: made, to: made };
  return { path: `${made}`, sizeBytes, rows, heights, sha256: '', source: LIST, ...more };
}

const files = (count: number, rows: number, more: Partial<DataFile> = {}): DataFile[] =>
  Array.from({ length: count }, () => file(rows, more));

/** Row counts of the merged files. */
function merged(all: readonly DataFile[], target = TARGET): number[][] {
  const merges = planMerges(all, () => false, target);
  return merges.map((merge) => merge.files.map(({ rows = 0 }) => rows));
}

/** The files after the plan. */
function afterPlan(all: readonly DataFile[], copied: (rows: number) => void): DataFile[] {
  const merges = planMerges(all, () => false, TARGET);
  const gone = new Set(merges.flatMap((merge) => merge.files));
  const rest = all.filter((entry) => !gone.has(entry));
  for (const merge of merges) {
    const rows = merge.files.reduce((sum, entry) => sum + (entry.rows ?? 0), 0);
    copied(rows);
    rest.push(file(rows));
  }
  return rest;
}

describe('small files', () => {
  test('are merged with larger ones once they are worth it', () => {
    expect(merged([...files(3, 10), file(2_000)])).toEqual([[10, 10, 10, 2_000]]);
    expect(merged([...files(3, 10), file(2_001)])).toEqual([]);
    expect(merged([...files(3, 2_000), file(12_000)])).toEqual([[2_000, 2_000, 2_000, 12_000]]);
    expect(merged([...files(3, 2_000), file(12_001)])).toEqual([]);
  });

  test('fill files up to the target of rows, and to that of bytes', () => {
    const pairs = (rows: number, target = TARGET) => merged(files(11, rows), target).map(String);
    expect(pairs(100_000)).toEqual(new Array(5).fill('100000,100000'));
    expect(pairs(125_000)).toEqual(new Array(5).fill('125000,125000'));
    expect(pairs(125_001)).toEqual([]);
    expect(pairs(100_000, { ...TARGET, bytes: 19_999_999 })).toEqual([]);
    expect(pairs(250_000)).toEqual([]);
  });

  test('with a tenth of the target of rows are left alone up to ten per list', () => {
    expect(merged(files(10, 25_000))).toEqual([]);
    expect(merged(files(11, 25_000)).map(({ length }) => length)).toEqual([10]);
    expect(merged(files(10, 24_999)).map(({ length }) => length)).toEqual([10]);
    const other = { source: { ...LIST, variant: 'filter=1' } };
    expect(merged([...files(10, 25_000), ...files(4, 10), ...files(4, 25_000, other)])).toEqual([
      [10, 10, 10, 10],
    ]);
    expect(merged([...files(10, 25_000), ...files(11, 25_000, other)])).toHaveLength(2);
  });

  test('are merged from two on where a table has many, because it has many lists', () => {
    const ofList = (variant: string) => files(2, 10, { source: { ...LIST, variant } });
    const lists = Array.from({ length: 10 }, (_, i) => ofList(`${i}`));
    expect(merged(lists.flat())).toEqual([]);
    expect(merged([...lists, ofList('more')].flat())).toHaveLength(11);
  });

  test('are open together up to a limit', () => {
    expect(merged(files(1_200, 1)).map(({ length }) => length)).toEqual([500, 500, 200]);
  });

  test('of one size are merged in the order of their heights', () => {
    const all = files(4, 10).reverse();
    const [merge] = planMerges(all, () => false, TARGET);
    expect(merge?.files.map(({ heights }) => heights?.from)).toEqual(
      all.map(({ heights }) => heights?.from).reverse(),
    );
  });
});

describe('files stay apart', () => {
  test('that are provisional', () => {
    const all = files(5, 10);
    const merges = planMerges(all, (entry) => entry === all[0], TARGET);
    expect(merges.map((merge) => merge.files)).toEqual([all.slice(1)]);
  });

  test('whose rows are not counted', () => {
    expect(planMerges([...files(3, 10), file(undefined)], () => false, TARGET)).toEqual([]);
  });
});

test('after any sequence of commits, few files are left, and no row was copied often', () => {
  const seed = Number(process.env['SEED'] ?? 5_117);
  let worst = 0;
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 6_000 }), { maxLength: 400, size: 'max' }),
      (commits) => {
        let all: DataFile[] = [];
        let [total, copies] = [0, 0];
        for (const rows of commits) {
          total += rows;
          all = afterPlan([...all, file(rows)], (copied) => {
            copies += copied;
          });
          expect(all.reduce((sum, entry) => sum + (entry.rows ?? 0), 0)).toBe(total);
          expect(all.length).toBeLessThanOrEqual(12 + (4 * total) / TARGET.rows);
        }
        if (total > 20_000) worst = Math.max(worst, copies / total);
      },
    ),
    { seed, numRuns: casesOf(60) },
  );
  process.stdout.write(`merges: seed ${seed}, ${worst.toFixed(2)} copies of a row at worst\n`);
  expect(worst).toBeLessThan(6);
});
