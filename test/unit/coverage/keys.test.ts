import { describe, expect, it } from 'vitest';
import { Coverage, type CoverageEntry } from '../../../src/coverage/coverage.ts';
import { KeysOfList } from '../../../src/coverage/keys-of-list.ts';
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

describe('hashes of a list', () => {
  it('are found, whatever their first bytes', () => {
    const keys = new KeysOfList<Part>(undefined, 1);
    for (const digit of ['0', '8', 'f']) keys.set(hash(digit), [PART], false);
    keys.settle();
    for (const digit of ['0', '8', 'f']) expect(keys.get(hash(digit))).toEqual([PART]);
  });

  it('that were removed after they were packed are in no reading, packed again or not', () => {
    const keys = new KeysOfList<Part>(undefined, 1);
    for (const digit of ['1', '2', '3', '4']) keys.set(hash(digit), [PART], false);
    keys.settle();
    keys.set(hash('1'), [], false);
    keys.set(hash('2'), [LATER], true);
    expect([...keys.counts()].filter(([parts]) => parts.length === 0)).toEqual([]);
    for (let times = 0; times < 2; times += 1) {
      const entries = [...keys.entries()].sort();
      expect(entries.map(([key]) => key)).toEqual(['2', '3', '4'].map(hash));
      expect(keys.has(hash('1'))).toBe(false);
      expect([...keys.openKeys()]).toEqual([hash('2')]);
      keys.settle();
    }
    for (const digit of ['2', '3', '4']) keys.set(hash(digit), [], false);
    expect(keys.isEmpty()).toBe(true);
    keys.settle();
    expect(keys.isEmpty()).toBe(true);
  });

  it('have one run, and those of an overlay none', () => {
    const keys = new KeysOfList<Part>(undefined, 1);
    keys.set(hash('1'), [PART], false);
    expect(keys.inOneRun()?.run?.size).toBe(1);
    expect(new KeysOfList(keys).inOneRun()).toBeUndefined();
  });
});

it('coverage of other endpoints stays where that of one is forgotten from a height on', () => {
  const coverage = new Coverage();
  const entry: CoverageEntry = { ...PART, endpoint: 'one', variant: '', key: 'a' };
  const other = { ...entry, endpoint: 'two' };
  for (const each of [entry, other]) coverage.add(each);
  coverage.forget((endpoint) => endpoint === 'one', 5);
  expect(coverage.entries()).toEqual([{ ...entry, to: 4 }, other]);
});

it('keys are named by texts alone', () => {
  const address = `0x${'A'.repeat(40)}`;
  expect(keysNamedIn([undefined, null, `${address}, ${address}`])).toEqual([address.toLowerCase()]);
});
