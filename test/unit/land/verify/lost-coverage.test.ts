import { expect, it } from 'vitest';
import { Coverage, type CoverageEntry } from '../../../../src/coverage/coverage.ts';
import { CUT_REASON, lostByCut } from '../../../../src/land/verify/lost-coverage.ts';

/** Goal: coverage that only the entries behind a cut said, or took back, is never complete after. */

const entry = (from: number, to: number, more: Partial<CoverageEntry> = {}): CoverageEntry => {
  const base = { endpoint: 'list', variant: '', key: '0xa', head: 99, reason: '' };
  return { ...base, from, to, status: 'complete', readAtMs: 1, ...more };
};

function coverage(...entries: readonly CoverageEntry[]): Coverage {
  const made = new Coverage();
  for (const part of entries) made.add(part);
  return made;
}

/** The lost ranges, where the cut entries are unreadable unless they are given. */
function lost(
  kept: Coverage,
  before: Coverage,
  cutOff = new Coverage(),
  isWhole = true,
): [key: string, from: number, to: number][] {
  const losses = lostByCut(kept, { coverage: before, cutOff, isWhole });
  for (const { status, reason } of losses) {
    expect([status, reason]).toEqual(['inconsistent', CUT_REASON]);
  }
  return losses.map(({ key, from, to }) => [key, from, to]);
}

it('is lost where the rest of the log does not have it', () => {
  const before = coverage(entry(0, 99), entry(0, 99, { key: '0xb' }));
  expect(lost(coverage(entry(0, 49)), before)).toEqual([
    ['0xa', 50, 99],
    ['0xb', 0, 99],
  ]);
});

it('stays where the whole log said the same', () => {
  const before = coverage(entry(0, 49), entry(50, 99, { status: 'truncated', reason: 'cap' }));
  expect(lost(before.clone(), before)).toEqual([]);
});

it('is lost where a lost entry took it back, and where a reorganisation removed it', () => {
  const kept = coverage(entry(0, 99));
  const before = coverage(entry(0, 49), entry(50, 69, { status: 'inconsistent', reason: 'false' }));
  expect(lost(kept, before)).toEqual([['0xa', 50, 99]]);
});

it('is lost where a lost entry read it again: its rows may have been others', () => {
  const kept = coverage(entry(0, 99));
  expect(lost(kept, coverage(entry(0, 99, { readAtMs: 2 })))).toEqual([['0xa', 0, 99]]);
  const readAgain = coverage(entry(20, 29, { readAtMs: 2 }));
  expect(lost(kept, coverage(entry(0, 99)), readAgain)).toEqual([['0xa', 20, 29]]);
});

it('is all lost where nothing tells what an entry said', () => {
  const kept = coverage(entry(0, 99));
  expect(lost(kept, coverage(entry(0, 99)), new Coverage(), false)).toEqual([['0xa', 0, 99]]);
});
