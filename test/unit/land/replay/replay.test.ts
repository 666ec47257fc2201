import { describe, expect, it } from 'vitest';
import { Coverage, type Status } from '../../../../src/coverage/coverage.ts';
import {
  claimStateOf,
  type Replay,
  type ReplayRecord,
  replay,
} from '../../../../src/land/replay/replay.ts';
import type { Claim, Landable } from '../../../../src/land/rule/claim.ts';
import {
  digestText,
  type IncompleteWalk,
  incompleteWalkReason,
} from '../../../../src/land/rule/incomplete-walk.ts';
import { listNamed } from '../../../fixtures/lists.ts';

const ENDPOINT = 'mainchain/address/internal-transaction-list-multi';

interface Record extends Landable {
  readonly number: number;
}

const record = (number: number, height = 3, touches = ['0xa']): Record => {
  return { number, height, touches };
};
const digestOf = ({ number }: Record): bigint => BigInt(number) ** 3n;
const digestOfAll = (records: readonly Record[]): string => digestText(records.map(digestOf));

const CLAIM: Claim = {
  list: listNamed(ENDPOINT),
  keys: ['0xa', '0xb'],
  interval: { from: 0, to: 9 },
  status: 'complete',
  reason: '',
  head: 99,
  readAtMs: 5,
  generation: 0,
};
const GOOD = [record(1), record(2), record(2)];
const REASON = incompleteWalkReason('w1', 2, 'it is odd');
const INCOMPLETE: IncompleteWalk = {
  walk: 'w1',
  reason: REASON,
  digest: digestOfAll(GOOD),
  broken: 2,
  replayed: [],
};

function kept(id: string, of: Record | undefined, isChosen = true): ReplayRecord<Record> {
  return { id, record: of, reason: 'it is odd', isChosen };
}

const FIRST = kept('one', record(7));
const SECOND = kept('two', record(8));

interface TableState {
  readonly key?: string;
  readonly from?: number;
  readonly to?: number;
  readonly status?: Status;
  readonly reason?: string;
}

function coverage(...entries: readonly TableState[]): Coverage {
  const known = new Coverage();
  for (const entry of [{ key: '0xa' }, { key: '0xb' }, ...entries]) {
    const own = { key: '0xa', from: 0, to: 9, status: 'inconsistent' as const, reason: REASON };
    known.add({ endpoint: ENDPOINT, variant: '', head: 99, readAtMs: 5, ...own, ...entry });
  }
  return known;
}

function replayed(more: Partial<Parameters<typeof replay<Record>>[0]> = {}): Replay<Record> {
  return replay({
    claim: CLAIM,
    kept: [FIRST, SECOND],
    incomplete: INCOMPLETE,
    coverage: coverage(),
    landed: GOOD,
    digestOf,
    ...more,
  });
}

describe('a walk all of whose records can be decoded', () => {
  it('is made whole of what it landed and of them, and proves what it had proved', () => {
    expect(replayed()).toEqual({
      outcome: 'landing',
      walk: { claim: CLAIM, records: [...GOOD, record(7), record(8)] },
      incomplete: {
        ...INCOMPLETE,
        reason: expect.anything(),
        digest: digestOfAll([...GOOD, record(7), record(8)]),
        replayed: ['one', 'two'],
      },
      ids: ['one', 'two'],
    });
  });

  it('proves no more than it had proved', () => {
    const claim = { ...CLAIM, status: 'truncated' as const, reason: 'the cap' };
    expect(replayed({ claim })).toMatchObject({ walk: { claim } });
  });
});

describe('a walk some of whose records are missing still', () => {
  it.each([
    ['one is still broken', [FIRST, kept('two', undefined)]],
    ['one is not chosen', [FIRST, { ...SECOND, isChosen: false }]],
    ['one was dropped', [FIRST]],
  ])('lands the others and stays inconsistent: %s', (_why, some) => {
    const found = replayed({ kept: some });
    expect(found).toMatchObject({ outcome: 'landing', ids: ['one'] });
    if (found.outcome !== 'landing') return;
    expect(found.walk.claim.status).toBe('inconsistent');
    expect(found.walk.claim.reason).toMatch(/^1 record is in quarantine \(walk w1\); the first/);
    expect(found.incomplete.reason).toBe(found.walk.claim.reason);
    expect(found.walk.records).toEqual([...GOOD, record(7)]);
  });

  it('becomes whole when the last of them lands', () => {
    const first = replayed({ kept: [FIRST, kept('two', undefined)] });
    if (first.outcome !== 'landing') throw new Error(first.outcome);
    const { reason } = first.walk.claim;
    const next = replayed({
      kept: [SECOND],
      incomplete: first.incomplete,
      coverage: coverage({ reason }, { key: '0xb', reason }),
      landed: first.walk.records,
    });
    expect(next).toMatchObject({ outcome: 'landing', walk: { claim: CLAIM }, ids: ['two'] });
  });

  it('is left alone when nothing of it can be decoded', () => {
    expect(replayed({ kept: [kept('one', undefined)] })).toEqual({ outcome: 'needless', ids: [] });
  });
});

describe('a record that landed before', () => {
  it('never lands twice', () => {
    const incomplete = { ...INCOMPLETE, replayed: ['one', 'two'] };
    const ids = ['one', 'two'];
    expect(replayed({ incomplete })).toEqual({ outcome: 'needless', ids });
    const some = replayed({
      incomplete: { ...INCOMPLETE, digest: digestOfAll([...GOOD, record(7)]), replayed: ['one'] },
      landed: [...GOOD, record(7)],
    });
    expect(some).toMatchObject({ walk: { records: [...GOOD, record(7), record(8)] }, ids });
  });

  it('is not needed where newer walks are complete', () => {
    const now = coverage({ status: 'complete' }, { key: '0xb', status: 'complete', to: 9 });
    const found = replayed({ coverage: now });
    expect(found).toEqual({ outcome: 'needless', ids: ['one', 'two'] });
  });

  it('is there already, with every copy, where it touches a key that is complete', () => {
    const shared = kept('two', record(8, 3, ['0xa', '0xc']), false);
    const known = coverage({ key: '0xc', status: 'complete', reason: '' });
    const landed = [...GOOD, record(8, 3, ['0xa', '0xc'])];
    const found = replayed({ kept: [FIRST, shared], coverage: known, landed });
    expect(found).toMatchObject({ walk: { claim: CLAIM }, ids: ['one', 'two'] });
    if (found.outcome === 'landing') expect(found.walk.records).toEqual([...landed, record(7)]);
  });
});

describe('a walk whose rows are no longer its own', () => {
  const OTHER = /no longer those of the walk/;

  it.each<[string, readonly Record[]]>([
    ['a row is missing', GOOD.slice(1)],
    ['a row is doubled', [...GOOD, record(1)]],
    ['a row is another', [record(4), ...GOOD.slice(1)]],
  ])('is refused: %s', (_why, landed) => {
    expect(replayed({ landed })).toEqual({
      outcome: 'refused',
      why: expect.stringMatching(OTHER),
    });
  });

  it.each<[string, TableState]>([
    [
      'another walk was landed for one key',
      { key: '0xb', reason: incompleteWalkReason('w2', 1, 'x') },
    ],
    ['a part was read again', { from: 4, to: 5, status: 'provisional', reason: '' }],
    ['the chain was reorganised', { from: 8, reason: 'the chain was reorganised at height 8' }],
  ])('is refused: %s', (_why, entry) => {
    expect(replayed({ coverage: coverage(entry) })).toEqual({
      outcome: 'refused',
      why: expect.stringMatching(OTHER),
    });
  });

  it('is refused where coverage was forgotten, or the slice was never landed', () => {
    const nothing = new Coverage();
    expect(replayed({ coverage: nothing })).toMatchObject({ why: expect.stringMatching(OTHER) });
    const unlanded = replayed({ coverage: nothing, incomplete: undefined });
    expect(unlanded).toEqual({ outcome: 'refused', why: 'its slice was never landed' });
    expect(claimStateOf({ ...CLAIM.list, ...CLAIM }, undefined, coverage())).toBe('other');
  });

  it('is still its own where a part was complete before', () => {
    expect(replayed({ coverage: coverage({ to: 2, status: 'complete' }) })).toMatchObject({
      outcome: 'landing',
      walk: { claim: CLAIM },
    });
  });
});
