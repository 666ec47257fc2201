import { describe, expect, it } from 'vitest';
import { Coverage, type CoverageEntry } from '../../../src/coverage/coverage.ts';
import { keysNamedIn } from '../../../src/coverage/list.ts';
import { equalNeighbours } from '../../../src/coverage/parts.ts';

type Part = Omit<CoverageEntry, 'endpoint' | 'variant' | 'key'>;

const PART: Part = { from: 0, to: 9, status: 'complete', reason: '', head: 99, readAtMs: 1 };
const LATER: Part = { ...PART, from: 20, to: 29 };
const hash = (digit: string): string => `0x${digit.repeat(64)}`;

describe('neighbouring keys', () => {
  const groups = (...entries: (readonly [string, readonly Part[]])[]) => [
    ...equalNeighbours(entries, 2),
  ];

  it('are one group if all of their parts are equal, up to the size of a group', () => {
    expect(groups(['a', [PART]], ['b', [{ ...PART }]], ['c', [PART]])).toEqual([
      { keys: ['a', 'b'], parts: [PART] },
      { keys: ['c'], parts: [PART] },
    ]);
    for (const other of [{ status: 'truncated' as const }, { reason: 'r' }, { head: 98 }]) {
      expect(groups(['a', [PART]], ['b', [{ ...PART, ...other }]])).toHaveLength(2);
    }
  });

  it('without parts are in no group', () => {
    expect(groups()).toEqual([]);
    expect(groups(['a', [PART]], ['none', []], ['b', [PART]])).toEqual([
      { keys: ['a', 'b'], parts: [PART] },
    ]);
  });
});

describe('complete look-ups', () => {
  const list = { endpoint: 'mainchain/transaction/transaction-multi', variant: '' };

  it('take the entries of their hashes away, and their interval is one of the list', () => {
    const coverage = new Coverage();
    coverage.addClaim(list, [hash('1'), hash('2')], { ...PART, status: 'provisional' });
    coverage.addClaim(list, [hash('1'), hash('3')], PART);
    coverage.addClaim(list, [hash('4')], { ...LATER, to: 39 });
    expect(coverage.entries()).toEqual([
      { ...PART, ...list, key: '' },
      { ...LATER, ...list, key: '', to: 39 },
      { ...PART, ...list, key: hash('2'), status: 'provisional' },
    ]);
  });
});

it('coverage of other endpoints stays where that of one is forgotten from a height on', () => {
  const coverage = new Coverage();
  const entry: CoverageEntry = { ...PART, endpoint: 'one', variant: '', key: 'a' };
  const other = { ...entry, endpoint: 'two' };
  for (const item of [entry, other]) coverage.add(item);
  coverage.forget((endpoint) => endpoint === 'one', 5);
  expect(coverage.entries()).toEqual([{ ...entry, to: 4 }, other]);
});

it('keys are named by texts alone', () => {
  const address = `0x${'A'.repeat(40)}`;
  expect(keysNamedIn([undefined, null, `${address}, ${address}`])).toEqual([address.toLowerCase()]);
});
