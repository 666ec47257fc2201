import { describe, expect, test } from 'vitest';
import type { Interval } from '../../../../src/coverage/ranges.ts';
import type { EmptyPart } from '../../../../src/fetch/corroborate/empty-part.ts';
import { RequestProof } from '../../../../src/fetch/corroborate/request-proof.ts';
import { CallFailure } from '../../../../src/fetch/http/call-failure.ts';
import { NOT_AVAILABLE_CODE } from '../../../../src/fetch/http/codes.ts';
import type { Proof } from '../../../../src/pipeline/pipeline.ts';
import { listed, type PlainReply } from '../../../fixtures/listed.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { type Asked, Lister } from '../../../fixtures/walk-lister.ts';
import { A, NORMAL, record, settingsOf, sliceOf } from '../../../fixtures/walk-setup.ts';

/** Goal: the bounds of known questions, and the pieces and statuses that follow, are exact. */

const LIST = listNamed(NORMAL);
const HEAD = 1_000_000;
const AT = 120;
type Tamper = (reply: PlainReply, call: Asked) => PlainReply;

/** A proof whose list has shown the record at `AT`, and records in a range of the block `end`. */
function proofOf(end: number, tamper: Tamper, level: Proof = 'standard') {
  const caller = new Lister([record(AT)], { tamper });
  const settings = settingsOf({ proof: level });
  const { facts } = settings;
  facts.learnEdges(NORMAL, { from: true, to: true });
  const edge = sliceOf({ list: LIST, interval: { from: AT, to: AT } });
  facts.answered.add(edge, listed(LIST.entry, [record(AT)]), true);
  facts.answered.prove({ ...edge, interval: { from: end, to: end } });
  facts.learnKnown(NORMAL, edge);
  const partAt = (interval: Interval, keys = [A]): EmptyPart => {
    const slice = sliceOf({ list: LIST, interval, keys });
    const part = {
      slice,
      status: 'complete',
      records: [],
      reason: '',
      pending: [],
      requests: 1,
    } as const;
    const to = { head: HEAD, settings, land: async () => undefined, fail: () => undefined };
    return { ...to, part, range: interval, isEarly: false, pages: 0 };
  };
  return { proof: new RequestProof({ caller, facts }), caller, partAt };
}

const EMPTY: PlainReply = { records: [], page: 0, limit: 100, totalPage: 0 };
const rangeOf = ({ query }: Asked): Interval => ({
  from: Number(query['startBlockHeight']),
  to: Number(query['endBlockHeight']),
});
/** Ranges of more blocks than this are empty. */
const emptyFrom = (blocks: number) => (reply: PlainReply, call: Asked) => {
  const { from, to } = rangeOf(call);
  return to - from + 1 >= blocks ? EMPTY : reply;
};

describe('a refuted range', () => {
  const refuted = async (end: number) => {
    const made = proofOf(end, emptyFrom(50));
    await made.proof.ask([made.partAt({ from: 81, to: 130 })]);
    return made;
  };

  test('refutes ranges that are as wide, or end as high, and no others', async () => {
    const { proof, partAt } = await refuted(200);
    const isAccepted = (from: number, to: number) => proof.isAccepted(partAt({ from, to }));
    expect([isAccepted(0, 49), isAccepted(1, 49)]).toEqual([false, true]);
    expect([isAccepted(100, 130), isAccepted(100, 129)]).toEqual([false, true]);
  });

  test.each([
    [100, 199, 150, [100, 150, 151, 199]],
    [150, 199, 150, [150, 150, 151, 199]],
    [101, 150, 150, [101, 125, 126, 150]],
    [151, 250, 150, [151, 200, 201, 250]],
  ])(
    'cuts %i to %i at the proven end %i if it lies inside, else in halves',
    async (from, to, end, cuts) => {
      const { proof, partAt } = await refuted(end);
      const { read, rest } = proof.pieces(partAt({ from, to }));
      expect(rest).toEqual([]);
      expect(read.flatMap(({ part: { slice } }) => Object.values(slice.interval))).toEqual(cuts);
    },
  );

  test('leaves a single block as it is', async () => {
    const { proof, partAt } = await refuted(100);
    const held = partAt({ from: 150, to: 150 });
    expect(proof.pieces(held)).toEqual({ read: [], rest: [held] });
  });

  test('is provisional above the proven end, and inconsistent up to it', async () => {
    const { proof, partAt } = await refuted(150);
    const statusAt = (to: number) => proof.judged(partAt({ from: to - 49, to })).status;
    expect([150, 151].map(statusAt)).toEqual(['inconsistent', 'provisional']);
  });
});

test.each([
  ['standard', true],
  ['strict', false],
] as const)('with proof %s, four answers prove an end: %j', async (level, isProven) => {
  const calls: Asked[] = [];
  const tamper: Tamper = (reply, request) => (calls.push(request) > 4 ? EMPTY : reply);
  const { proof, partAt } = proofOf(AT, tamper, level);
  expect(await proof.ask([partAt({ from: 81, to: 130 })])).toBe(isProven);
});

test('a doubt about the source leaves the newest blocks provisional, whatever is proven', () => {
  const { proof, partAt } = proofOf(HEAD, (reply) => reply);
  const statusAt = (to: number) => proof.judged(partAt({ from: to, to }), 'doubt').status;
  expect([HEAD - 10_000, HEAD - 9_999].map(statusAt)).toEqual(['complete', 'provisional']);
});

describe('a group of keys', () => {
  const others = (count: number) =>
    Array.from({ length: count }, (_, i) => `0x${String(i + 1).padStart(40, '0')}`);
  const askedKeys = ({ calls }: Lister) =>
    calls.map(({ query }) => query['address']?.split(',') ?? []);

  test.each([
    [19, [20]],
    [20, [20, 20]],
  ])('of %i is asked for a known record together with its key', async (count, sizes) => {
    const { proof, caller, partAt } = proofOf(200, (reply) => reply);
    const keys = others(count);
    expect(await proof.isGroupAnswered(partAt({ from: 100, to: 199 }, keys))).toBe(true);
    const groups = askedKeys(caller);
    expect(groups.map(({ length }) => length)).toEqual(sizes);
    expect(new Set(groups.flat())).toEqual(new Set([...keys, A]));
  });
});

test.each([
  ['first', 82, HEAD],
  ['last', 0, 129],
])('a question whose %s block the service refuses is sent without it', async (_, least, most) => {
  const refusing = (reply: PlainReply, call: Asked): PlainReply => {
    const { from, to } = rangeOf(call);
    if (from < least || to > most) {
      throw new CallFailure('permanent', {
        code: NOT_AVAILABLE_CODE,
        endpoint: NORMAL,
        detail: '',
      });
    }
    return reply;
  };
  const { proof, partAt } = proofOf(AT, refusing);
  expect(await proof.ask([partAt({ from: 81, to: 130 })])).toBe(true);
});
