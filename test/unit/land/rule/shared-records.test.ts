import { expect, test } from 'vitest';
import { Coverage } from '../../../../src/coverage/coverage.ts';
import type { List } from '../../../../src/coverage/list.ts';
import type { Claim, Landable } from '../../../../src/land/rule/claim.ts';
import { removes } from '../../../../src/land/rule/claim.ts';
import { merge } from '../../../../src/land/rule/merge.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { sharedIn } from '../../../fixtures/shared-in.ts';

/**
 * Goal: two lists that show the same records contradict each other where one of them lacks some,
 * and the one that lacks them is never complete there, whichever landed first.
 */

const LIST = listNamed('mainchain/address/normal-transaction-list-multi');

interface Row extends Landable {
  readonly name: string;
}

/** Records with these touches at a height, one for each. */
function rows(height: number, count: number, ...touches: string[]): Row[] {
  return Array.from({ length: count }, (_, i) => ({ height, touches, name: `${height}.${i}` }));
}

function complete(key: string, from = 0, to = 99): Claim {
  const range = { keys: [key], interval: { from, to }, generation: 0 };
  return { list: LIST, ...range, status: 'complete', reason: '', head: 200, readAtMs: 1 };
}

class Table {
  readonly coverage = new Coverage();
  rows: (List & { readonly row: Row })[] = [];

  /** One commit; the places that it contradicts. */
  commit(...walks: readonly (readonly [Claim, readonly Row[]])[]): string[] {
    const merged = merge(
      { coverage: this.coverage, reorganisations: [] },
      walks.map(([claim, records]) => ({ claim, records })),
      sharedIn(this.rows, ({ row }) => row),
    );
    this.rows = this.rows.filter(
      (item) => !merged.removals.some((removal) => removes(removal, item, item.row)),
    );
    const inserted = merged.inserts.flatMap(({ records }) => records);
    for (const row of inserted) this.rows.push({ ...LIST, row });
    for (const entry of merged.coverage) this.coverage.add(entry);
    return merged.contradicted.map(({ key, from, to }) => `${key} ${from}-${to}`);
  }

  status(key: string, height: number): string {
    const results = this.coverage
      .get(LIST, key)
      .find(({ from, to }) => from <= height && height <= to);
    return results?.status ?? '';
  }

  count(height: number): number {
    return this.rows.filter(({ row }) => row.height === height).length;
  }
}

test.each([1, 2])('a list that landed first and lacks records is inconsistent, %i commits', (n) => {
  const table = new Table();
  const first = [complete('x'), rows(5, 2, 'x', 'y')] as const;
  const second = [complete('y'), [...rows(5, 3, 'x', 'y'), ...rows(8, 1, 'y')]] as const;
  const said = n === 1 ? table.commit(first, second) : [table.commit(first), table.commit(second)];
  expect(said.flat()).toEqual(['x 5-5']);
  expect([table.status('x', 5), table.status('y', 5)]).toEqual(['inconsistent', 'complete']);
  expect([table.status('x', 4), table.status('x', 6)]).toEqual(['complete', 'complete']);
  expect([table.count(5), table.count(8)]).toEqual([3, 1]);
  expect(table.coverage.get(LIST, 'x').find(({ from }) => from === 5)?.reason).toBe(
    'its records differ from those in the list of y',
  );
});

test.each([1, 2])('a list that lands later and lacks records is inconsistent, %i commits', (n) => {
  const table = new Table();
  const first = [complete('x'), rows(5, 3, 'x', 'y')] as const;
  const second = [complete('y'), [...rows(5, 1, 'x', 'y'), ...rows(8, 1, 'y')]] as const;
  const said = n === 1 ? table.commit(first, second) : [table.commit(first), table.commit(second)];
  expect(said.flat()).toEqual(['y 5-5']);
  expect([table.status('x', 5), table.status('y', 5)]).toEqual(['complete', 'inconsistent']);
  expect(table.status('y', 8)).toBe('complete');
  expect([table.count(5), table.count(8)]).toEqual([3, 1]);
});

test('where a complete list has fewer records than before, the other is read again', () => {
  const table = new Table();
  const both = rows(5, 3, 'x', 'y');
  table.commit([complete('x'), both]);
  table.commit([complete('y'), both]);
  expect(table.commit([complete('y'), both.slice(0, 2)])).toEqual(['x 5-5']);
  expect([table.status('x', 5), table.status('y', 5), table.count(5)]).toEqual([
    'inconsistent',
    'complete',
    2,
  ]);
  expect(table.commit([complete('x', 5, 5), both])).toEqual(['y 5-5']);
  expect([table.status('x', 5), table.count(5)]).toEqual(['complete', 3]);
});

test('records that a complete list has in addition cost the other list nothing', () => {
  const table = new Table();
  table.commit([complete('x'), rows(5, 2, 'x', 'y')]);
  table.commit([complete('y'), rows(5, 2, 'x', 'y')]);
  expect(table.commit([complete('y'), rows(5, 3, 'x', 'y')])).toEqual([]);
  expect([table.status('x', 5), table.status('y', 5), table.count(5)]).toEqual([
    'complete',
    'complete',
    3,
  ]);
});

test('of two lists that lack different records, both are inconsistent', () => {
  const table = new Table();
  table.commit([complete('x'), [...rows(5, 2, 'x', 'y'), ...rows(9, 3, 'x', 'y')]]);
  const said = table.commit([complete('y'), [...rows(5, 3, 'x', 'y'), ...rows(9, 1, 'x', 'y')]]);
  expect(said.sort()).toEqual(['x 5-5', 'y 9-9']);
  expect([table.count(5), table.count(9)]).toEqual([3, 3]);
});

test('if more than 20 blocks differ, the whole interval is inconsistent', () => {
  const many = Array.from({ length: 21 }, (_, i) => i * 2);
  const table = new Table();
  table.commit([complete('x'), many.flatMap((height) => rows(height, 2, 'x', 'y'))]);
  expect(table.commit([complete('y'), []])).toEqual(['y 0-99']);
  const other = new Table();
  other.commit([complete('x'), []]);
  const said = other.commit([complete('y'), many.flatMap((height) => rows(height, 2, 'x', 'y'))]);
  expect(said).toEqual(['x 0-99']);
  expect(other.rows).toHaveLength(42);
});

test('rows that the same commit removes are not compared', () => {
  const table = new Table();
  table.commit([{ ...complete('x'), status: 'truncated' }, rows(5, 3, 'x', 'y')]);
  const second = [complete('x'), rows(5, 2, 'x', 'y')] as const;
  expect(table.commit(second, [complete('y'), rows(5, 2, 'x', 'y')])).toEqual([]);
  expect([table.status('x', 5), table.status('y', 5), table.count(5)]).toEqual([
    'complete',
    'complete',
    2,
  ]);
});
