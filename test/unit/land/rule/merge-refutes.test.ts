import { expect, test } from 'vitest';
import { Coverage, type Status } from '../../../../src/coverage/coverage.ts';
import type { List } from '../../../../src/coverage/list.ts';
import { type Claim, type Landable, removes } from '../../../../src/land/rule/claim.ts';
import { merge, type TableState } from '../../../../src/land/rule/merge.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { sharedIn } from '../../../fixtures/shared-in.ts';

/**
 * Goal: what a run proved with false answers is taken back, complete or not; and nothing of other
 * keys is.
 */

const LIST = listNamed('mainchain/address/normal-transaction-list-multi');

interface Row extends Landable {
  readonly name: string;
}

const row = (height: number, ...touches: string[]): Row => {
  return { height, touches, name: `${height} ${touches}` };
};

function claim(status: Status, more: Partial<Claim> = {}): Claim {
  return {
    list: LIST,
    keys: ['a'],
    interval: { from: 0, to: 99 },
    status,
    reason: status === 'complete' ? '' : 'why',
    head: 200,
    readAtMs: 1,
    generation: 0,
    ...more,
  };
}

/** Commits one walk after another; the rows and what is known at the end. */
function landed(...walks: readonly [Claim, readonly Row[]][]) {
  const expected: TableState = { coverage: new Coverage(), reorganisations: [] };
  let rows: (List & { readonly row: Row })[] = [];
  for (const [options, records] of walks) {
    const merged = merge(
      expected,
      [{ claim: options, records }],
      sharedIn(rows, ({ row }) => row),
    );
    rows = rows.filter((item) => !merged.removals.some((gone) => removes(gone, item, item.row)));
    rows.push(
      ...merged.inserts.flatMap(({ records: added }) => {
        return added.map((row) => ({ ...LIST, row }));
      }),
    );
    for (const entry of merged.coverage) expected.coverage.add(entry);
  }
  const status = (key: string, height: number): string => {
    const results = expected.coverage.overlapping(LIST, { from: height, to: height });
    return results.find((entry) => entry.key === key)?.status ?? '';
  };
  return { names: rows.map((item) => item.row.name).sort(), status };
}

const complete: [Claim, Row[]] = [claim('complete'), [row(5, 'a'), row(50, 'a', 'b')]];
const refutes = true as const;

test('a refuting walk that is not complete costs no copy that another key proved', () => {
  const copies = [row(50, 'a', 'b'), row(50, 'a', 'b')];
  const few: [Claim, Row[]] = [
    claim('inconsistent', { refutes }),
    [row(7, 'a'), row(50, 'a', 'b')],
  ];
  const { names, status } = landed([claim('complete', { keys: ['b'] }), copies], few);
  expect(names).toEqual(['50 a,b', '50 a,b', '7 a']);
  expect(status('b', 50)).toBe('complete');
});

test('a walk that refutes nothing never costs complete coverage', () => {
  const { names, status } = landed(complete, [claim('inconsistent'), [row(7, 'a')]]);
  expect(status('a', 5)).toBe('complete');
  expect(names).toEqual(['5 a', '50 a,b']);
});

test('a refuting walk with records replaces the rows of its keys', () => {
  const walk = claim('inconsistent', { refutes });
  const { names, status } = landed(complete, [walk, [row(7, 'a')]]);
  expect(status('a', 5)).toBe('inconsistent');
  expect(names).toEqual(['7 a']);
});
