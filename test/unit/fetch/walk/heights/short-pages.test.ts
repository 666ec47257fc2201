import { expect, test } from 'vitest';
import { parsedRecord } from '../../../../fixtures/listed.ts';
import { Lister, type ListerOptions } from '../../../../fixtures/walk-lister.ts';
import { atHeight, fetched, record, statusesOf, textsOf } from '../../../../fixtures/walk-setup.ts';

/**
 * Goal: a page that is not full and has one height alone is believed only if nothing shows that it
 * lacks records of that height, because no page beside it can show that.
 */

type Tamper = NonNullable<ListerOptions['tamper']>;

/** Changes the answers for more than one height. */
const ofRanges =
  (tamper: Tamper): Tamper =>
  (reply, call) => {
    const blocks = Number(call.query['endBlockHeight']) - Number(call.query['startBlockHeight']);
    return blocks > 2 ? tamper(reply, call) : reply;
  };

test('a height whose page count is larger is read by its pages', async () => {
  const list = atHeight(150, 4);
  // Each answer lacks the same record, so reading the page again changes nothing.
  const lister = new Lister(list, {
    tamper: ofRanges((reply) => ({
      ...reply,
      records: reply.records.filter((row) => parsedRecord(row)['txId'] !== '0x150.1'),
    })),
  });
  const parts = await fetched(lister, undefined, { pageSize: 3 });
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
});

test.each<[string, Tamper]>([
  ['is empty', (reply) => reply],
  [
    'is page 1 again',
    (reply, { page }) => (page > 1 ? { ...reply, records: atHeight(150, 2) } : reply),
  ],
])('a page count is wrong if page 2 %s', async (_name, tamper) => {
  const list = atHeight(150, 2);
  const lister = new Lister(list, {
    tamper: (reply, call) => {
      const { totalPage = 0, ...others } = tamper(reply, call);
      return { ...others, totalPage: totalPage + 1 };
    },
  });
  const parts = await fetched(lister, undefined, { pageSize: 3 });
  const listed = parts.filter(({ records }) => records.length > 0);
  expect(statusesOf(listed)).toEqual(['complete']);
  expect(textsOf(listed)).toEqual(textsOf([{ records: list }]));
});

test('page 2 is not page 1 again if it has further copies of a record', async () => {
  const copies = Array.from({ length: 3 }, () => record(150));
  const lister = new Lister(copies, {
    tamper: (reply, { request }) =>
      request < 3 ? { ...reply, records: copies.slice(0, 1) } : reply,
  });
  const parts = await fetched(lister, undefined, { pageSize: 2 });
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: copies }]));
});

test('a height whose page lacks a known record is read by its pages', async () => {
  const above = Array.from({ length: 9 }, (_, i) => record(170 - i));
  const two = atHeight(150, 2);
  const lister = new Lister([...above, ...two], {
    // The first page ends with the first record of the height, and the second page lacks it.
    tamper: ofRanges((reply) =>
      reply.records.length === 2 ? { ...reply, records: two.slice(1) } : reply,
    ),
  });
  const parts = await fetched(lister, undefined, { proof: 'strict' });
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: [...above, ...two] }]));
});

test('a short page that has come twice must show all copies of an earlier one', async () => {
  const list = [170, 160, 160, 150, 140].map((height) => record(height));
  const lister = new Lister(list, {
    tamper: ({ records, ...reply }, { request }) => {
      if (request > 3) return { ...reply, records };
      const lost = request === 1 ? 3 : 1;
      return { ...reply, totalPage: 2, records: records.filter((_, i) => i !== lost) };
    },
  });
  const parts = await fetched(lister);
  expect(statusesOf(parts)).toEqual(['complete']);
  expect(textsOf(parts)).toEqual(textsOf([{ records: list }]));
});
