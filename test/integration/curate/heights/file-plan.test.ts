import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Interval } from '../../../../src/coverage/ranges.ts';
import { type CuratedFile, FilePlan } from '../../../../src/curate/heights/file-plan.ts';
import { casesOf } from '../../../fixtures/thorough.ts';

interface Row {
  readonly height: number;
  readonly id: number;
}

/** A file with its rows, which the plan does not see. */
interface File extends CuratedFile {
  readonly content: readonly Row[];
}

/** A table of files in memory, written as the plan says. */
class Table {
  files: File[] = [];
  /** How often every row was written. */
  readonly copies = new Map<number, number>();
  #written = 0;

  /** One commit: replaces the rows at these heights, chunk by chunk. */
  replace(chunks: readonly { readonly chunk: Interval; readonly rows: readonly Row[] }[]): void {
    const plan = new FilePlan(this.files);
    const isKept = ({ height }: Row): boolean =>
      !chunks.some(({ chunk }) => chunk.from <= height && height <= chunk.to);
    const written: File[] = [];
    for (const { chunk, rows } of chunks) {
      const { merged, rewritten } = plan.next(chunk, rows.length);
      for (const file of rewritten) written.push(...this.#file(file.content.filter(isKept)));
      const rest = merged.flatMap(({ content }) => content.filter(isKept));
      written.push(...this.#file([...rest, ...rows]));
    }
    this.files = [...this.files.filter((file) => !plan.removed.includes(file)), ...written];
  }

  #file(content: readonly Row[]): File[] {
    if (content.length === 0) return [];
    for (const { id } of content) this.copies.set(id, (this.copies.get(id) ?? 0) + 1);
    this.#written += 1;
    const interval = content.reduce(
      ({ from, to }, { height }) => ({ from: Math.min(from, height), to: Math.max(to, height) }),
      { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY },
    );
    return [{ path: `${this.#written}`, rows: content.length, heights: interval, content }];
  }

  rows(): number[] {
    return this.files.flatMap(({ content }) => content.map(({ id }) => id)).sort((a, b) => a - b);
  }
}

function most(counts: readonly number[]): number {
  return counts.reduce((one, other) => Math.max(one, other), 0);
}

const chunks = fc.uniqueArray(fc.nat(200), { minLength: 2, maxLength: 8 }).map((cuts) => {
  const sorted = [...cuts].sort((a, b) => a - b);
  return sorted.flatMap((from, i) => {
    const to = sorted[i + 1];
    return i % 2 === 0 && to !== undefined ? [{ from, to: to - 1 }] : [];
  });
});
/** Rows for every chunk of every commit: up to 9,000, so that some files are large. */
const commits = fc.array(fc.tuple(chunks, fc.integer({ min: 0, max: 3_000 })), { maxLength: 8 });

test('after every commit each row is in one file, and replaced rows are gone', () => {
  const seed = Number(process.env['SEED'] ?? 5_502);
  fc.assert(
    fc.property(commits, (history) => {
      const table = new Table();
      let expected: Row[] = [];
      let id = 0;
      for (const [intervals, rowsEach] of history) {
        const replaced = intervals.map((chunk, i) => ({
          chunk,
          rows: Array.from({ length: (rowsEach * (i + 1)) % 9_000 }, () => {
            id += 1;
            return { id, height: chunk.from + (id % (chunk.to - chunk.from + 1)) };
          }),
        }));
        table.replace(replaced);
        const isKept = ({ height }: Row): boolean =>
          !intervals.some(({ from, to }) => from <= height && height <= to);
        expected = [...expected.filter(isKept), ...replaced.flatMap(({ rows }) => rows)];
        expect(table.rows()).toEqual(expected.map((row) => row.id).sort((a, b) => a - b));
      }
    }),
    { seed, numRuns: casesOf(150) },
  );
});

describe('a year of daily runs', () => {
  const DAY = 100;
  const ROWS = 500;

  /** Every day some new heights, of which the last few are computed again the next day. */
  function year(recomputed: number): Table {
    const table = new Table();
    let id = 0;
    for (let day = 0; day < 365; day += 1) {
      const chunk = { from: Math.max(0, day * DAY - recomputed), to: day * DAY + DAY - 1 };
      const count = Math.round((ROWS * (chunk.to - chunk.from + 1)) / DAY);
      const rows = Array.from({ length: count }, (_, i) => {
        id += 1;
        return { id, height: chunk.from + (i % (chunk.to - chunk.from + 1)) };
      });
      table.replace([{ chunk, rows }]);
    }
    return table;
  }

  test.each([0, 10])('leaves few files and copies few rows (%d blocks again)', (recomputed) => {
    const table = year(recomputed);
    const copies = [...table.copies.values()];
    // log2(365) is 8.5.
    expect(table.files.length).toBeLessThanOrEqual(9);
    expect(most(copies)).toBeLessThanOrEqual(3 * Math.log2(365));
    const mean = copies.reduce((sum, count) => sum + count, 0) / copies.length;
    expect(mean).toBeLessThanOrEqual(1.25 * Math.log2(365));
    process.stdout.write(
      `${table.files.length} files, ${most(copies)} copies at most, ${mean.toFixed(1)} mean\n`,
    );
  });

  test('copies few rows also when old heights change now and then', () => {
    const table = year(10);
    const before = new Map(table.copies);
    for (let day = 0; day < 20; day += 1) {
      const at = ((day * 7_919) % 365) * DAY;
      table.replace([{ chunk: { from: at, to: at }, rows: [{ id: 1_000_000 + day, height: at }] }]);
    }
    const more = [...table.copies].map(([id, count]) => count - (before.get(id) ?? 0));
    expect(most(more)).toBeLessThanOrEqual(20);
    expect(table.files.length).toBeLessThanOrEqual(30);
  });
});

describe('the plan', () => {
  const file = (path: string, from: number, to: number, rows: number) => ({
    path,
    rows,
    heights: { from, to },
  });

  test('leaves files alone that have none of the heights and are large', () => {
    const plan = new FilePlan([file('old', 0, 99, 1_000_000), file('other', 300, 400, 10)]);
    expect(plan.next({ from: 100, to: 199 }, 1_000)).toEqual({ merged: [], rewritten: [] });
    expect(plan.removed).toEqual([]);
  });

  test('merges the small neighbour below, and rewrites a large file by itself', () => {
    const files = [file('a', 0, 99, 1_500), file('large', 50, 250, 900_000)];
    const plan = new FilePlan(files);
    expect(plan.next({ from: 200, to: 220 }, 10)).toEqual({
      merged: [files[0]],
      rewritten: [files[1]],
    });
  });

  test('leaves large files whose rows stay, and all of them where no row is new', () => {
    const files = [file('small', 0, 99, 1_500), file('large', 50, 250, 900_000)];
    const none = () => false;
    expect(new FilePlan(files).next({ from: 60, to: 220 }, 10, none)).toEqual({
      merged: [files[0]],
      rewritten: [],
    });
    expect(new FilePlan(files).next({ from: 60, to: 220 }, 0, none)).toEqual({
      merged: [],
      rewritten: [],
    });
  });

  test('takes every file once, over all chunks of a commit', () => {
    const files = Array.from({ length: 20 }, (_, i) => file(`${i}`, i * 10, i * 10 + 25, 100));
    const plan = new FilePlan(files);
    const taken = [20, 60, 100, 150].flatMap((from) => {
      const { merged, rewritten } = plan.next({ from, to: from + 5 }, 50);
      return [...merged, ...rewritten];
    });
    expect(new Set(taken).size).toBe(taken.length);
    expect(plan.removed).toEqual(taken);
  });

  test('a file of unknown heights may hold any height', () => {
    const unknown = { path: 'x', rows: undefined, heights: undefined };
    const plan = new FilePlan([unknown]);
    expect(plan.next({ from: 5, to: 5 }, 1)).toEqual({ merged: [], rewritten: [unknown] });
  });
});
