import { expect, test } from 'vitest';
import type { WireRecord } from '../../../../../src/catalogue/record.ts';
import { ListFacts } from '../../../../../src/fetch/walk/list-facts.ts';
import type { PlainReply } from '../../../../fixtures/listed.ts';
import { listNamed } from '../../../../fixtures/lists.ts';
import { type Asked, Lister } from '../../../../fixtures/walk-lister.ts';
import {
  atHeight,
  fetched,
  INTERNAL,
  record,
  sliceOf,
  statusesOf,
  textsOf,
} from '../../../../fixtures/walk-setup.ts';

/**
 * Goal: a height is read in page sizes that really differ, because readings in one size lose the
 * same records.
 */

const interval = { from: 150, to: 150 };
/** Without the other side, a height that pages do not prove stays unproven. */
const ofOneSide = sliceOf({ list: listNamed(INTERNAL, { isFromOrTo: 'from' }), interval });
const [first, ...others] = atHeight(150, 4) as [WireRecord, ...WireRecord[]];

/**
 * Lists the first of four records again in place of the last one, on pages of the sizes that were
 * asked for.
 */
function replacingLast(clamp: number, isReplaced: (limit: number) => boolean): Lister {
  const replaced = (reply: PlainReply, { limit }: Asked): PlainReply => {
    if (!isReplaced(limit)) return reply;
    const records = reply.records.map((row) => (row === others.at(-1) ? first : row));
    return { ...reply, records: reply.page === 1 && clamp > 1 ? reply.records : records };
  };
  return new Lister([first, ...others], { clamp, tamper: replaced });
}

test('a size that the service cut down is followed by one that it does not cut down', async () => {
  const lister = replacingLast(3, (limit) => limit > 2);
  const parts = await fetched(lister, ofOneSide, { pageSize: 7 });
  expect(statusesOf(parts)).toEqual(['inconsistent']);
});

test('a height that disagrees with itself twice in the same way is not read again', async () => {
  const lister = replacingLast(3, (limit) => limit > 2);
  await fetched(lister, ofOneSide, { pageSize: 7 });
  expect(lister.requests).toBeLessThan(20);
});

test('copies that no page shows together must come in a third size', async () => {
  const lister = replacingLast(3, (limit) => limit > 1);
  const parts = await fetched(lister, ofOneSide, { pageSize: 7 });
  expect(statusesOf(parts)).toEqual(['inconsistent']);
});

test('copies that no page shows together are not proven once two readings have differed', async () => {
  const facts = new ListFacts({});
  const read = (lister: Lister, provisional = false) =>
    fetched(lister, { ...ofOneSide, provisional }, { pageSize: 7, facts });
  const equal = Array.from({ length: 9 }, () => first);
  const copies = (): Lister => new Lister(equal, { clamp: 4 });
  // Records near the head may be added between two readings.
  await read(
    replacingLast(3, (limit) => limit > 2),
    true,
  );
  expect(statusesOf(await read(copies()))).toEqual(['complete']);
  await read(replacingLast(3, (limit) => limit > 2));
  expect(statusesOf(await read(copies()))).toEqual(['inconsistent']);
});

test('pages of one size alone do not prove copies', async () => {
  const parts = await fetched(
    replacingLast(1, () => true),
    ofOneSide,
    { pageSize: 7 },
  );
  expect(statusesOf(parts)).toEqual(['inconsistent']);
  expect(parts[0]?.reason).toBe('two page sizes gave different records');
});

test('a nearly full page of one height is followed by the next page of that height', async () => {
  const all = atHeight(150, 14);
  const lister = new Lister([...all, record(120)], {
    // A first page that is full lacks its last record, and the page count is rounded down.
    tamper: (reply, { page, limit }) => {
      const isCut = page === 1 && reply.records.length === limit;
      const records = isCut ? reply.records.slice(0, -1) : reply.records;
      return { ...reply, records, totalPage: Math.max(1, Math.floor(all.length / limit)) };
    },
  });
  const parts = await fetched(lister, sliceOf(), { pageSize: 10 });
  const ofHeight = parts.filter(({ slice }) => slice.interval.to === 150);
  expect(statusesOf(ofHeight)).toEqual(['inconsistent']);
});

test('a height that an unannounced page size cuts is read whole where no count is believed', async () => {
  const facts = new ListFacts({});
  for (let i = 0; i < 3; i += 1) facts.at(INTERNAL).wrongCounts += 1;
  const list = atHeight(150, 14);
  const lister = new Lister(list, {
    clamp: 4,
    tamper: (reply, { limit }) => ({
      ...reply,
      limit,
      totalPage: Math.min(reply.records.length, 1),
    }),
  });
  const parts = await fetched(lister, sliceOf(), { pageSize: 10, facts });
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
});
