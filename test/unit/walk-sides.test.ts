import { expect, test } from 'vitest';
import type { Caller, PageReply } from '../../src/fetch/caller.ts';
import { type Fetched, fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { variant } from '../../src/plan/slice.ts';
import { unlearned } from '../unlearned.ts';

/** Goal: one key in one block is read whole by its two sides, where either is short enough. */

const KEY = `0x${'a'.repeat(40)}`;
const OTHER = `0x${'b'.repeat(40)}`;
const CAP = 30;

type Move = readonly [from: string, to: string];

function moves(sent: number, received: number, own: number): Move[] {
  const times = (count: number, move: Move): Move[] => Array.from({ length: count }, () => move);
  return [
    ...times(sent, [KEY, OTHER]),
    ...times(received, [OTHER, KEY]),
    ...times(own, [KEY, KEY]),
  ];
}

function callerOf(all: readonly Move[]): Caller {
  return {
    call: async (_, query): Promise<PageReply> => {
      const side = query['isFromOrTo'];
      const limit = Number(query['limit']);
      const page = Number(query['page']);
      const shown = all
        .filter(([from, to]) => (side === 'from' ? from === KEY : side !== 'to' || to === KEY))
        .map(([from, to], i) => ({ height: '150', txId: `0x${i}`, from, to }))
        .slice(0, CAP);
      const totalPage = Math.ceil(shown.length / limit);
      return { records: shown.slice((page - 1) * limit, page * limit), page, limit, totalPage };
    },
  };
}

async function fetched(
  all: readonly Move[],
  filter: Record<string, string> = {},
): Promise<Fetched[]> {
  const slice = {
    endpoint: 'mainchain/address/normal-transaction-list-multi',
    variant: variant(filter),
    keys: [KEY],
    interval: { from: 150, to: 150 },
    provisional: false,
  };
  const settings = { chain: 'X', pageSize: 7, recordCap: CAP, ...unlearned() };
  const parts: Fetched[] = [];
  for await (const part of fetchSlice(callerOf(all), slice, settings)) parts.push(part);
  return parts;
}

const told = (parts: readonly Fetched[]) =>
  parts.map(({ status, records }) => [status, records.length]);

test('what a key sent and what it received are put together, what it sent itself once', async () => {
  expect(told(await fetched(moves(20, 15, 0)))).toEqual([['complete', 35]]);
  expect(told(await fetched(moves(16, 12, 7)))).toEqual([['complete', 35]]);
});

test('a side that is too long as well leaves the whole truncated', async () => {
  expect(told(await fetched(moves(40, 5, 0)))).toEqual([['truncated', CAP]]);
});

test('a list that is asked for one side already has no other', async () => {
  expect(told(await fetched(moves(40, 5, 0), { isFromOrTo: 'from' }))).toEqual([
    ['truncated', CAP],
  ]);
});
