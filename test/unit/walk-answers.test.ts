import { expect, test } from 'vitest';
import type { WireRecord } from '../../src/catalogue/record.ts';
import type { Caller, PageReply } from '../../src/fetch/caller.ts';
import { walk } from '../../src/fetch/walk.ts';
import { type Slice, variant } from '../../src/plan/slice.ts';

/** Goal: what answers do without the list having changed (overtake each other, say it otherwise). */

const KEY = `0x${'a'.repeat(40)}`;
const slice: Slice = {
  endpoint: 'mainchain/address/internal-transaction-list-multi',
  variant: variant({}),
  keys: [KEY],
  interval: { from: 0, to: 99 },
  provisional: false,
};
const settings = {
  chain: 'MAINCHAIN',
  pageSize: 10,
  recordCap: 10_000,
  canSplit: false,
  acceptCap: false,
};
const records = Array.from({ length: 45 }, (_, i): WireRecord => {
  return { txId: `0x${i}`, height: String(i), from: KEY, to: KEY, isFromContract: 'false' };
});

/** Five pages, the last one second, and the first and the last one again. */
const REQUESTS = 7;

function callerOf(answer: (reply: PageReply, request: number) => Promise<PageReply>) {
  let requests = 0;
  const caller: Caller = {
    call: (_, query) => {
      requests += 1;
      const page = Number(query['page']);
      const limit = Number(query['limit']);
      const shown = records.slice((page - 1) * limit, page * limit);
      const totalPage = Math.ceil(records.length / limit);
      return answer({ records: shown, page, limit, totalPage }, requests);
    },
  };
  return { caller, sent: () => requests };
}

test('answers that overtake each other are put where they belong', async () => {
  const waiting: (() => void)[] = [];
  // The three pages between the first and the last are answered in reverse.
  const { caller, sent } = callerOf(async (reply, request) => {
    if (request < 3 || request > 5) return reply;
    const turn = new Promise<void>((resolve) => waiting.unshift(resolve));
    if (request === 5) for (const next of waiting) setImmediate(next);
    await turn;
    return reply;
  });
  const walked = await walk(caller, slice, settings);
  expect(walked).toEqual({ outcome: 'proven', records });
  expect(sent()).toBe(REQUESTS);
});

test('a record that comes in between the first page and the last is noticed', async () => {
  const late: WireRecord = { txId: '0xbeef', height: '70', from: KEY, to: KEY };
  let requests = 0;
  const list = [...records];
  const caller: Caller = {
    call: async (_, query) => {
      requests += 1;
      // The last page was read second, and half of those between are read by now.
      if (requests === 4) list.splice(15, 0, late);
      const page = Number(query['page']);
      const limit = Number(query['limit']);
      const totalPage = Math.ceil(list.length / limit);
      return { records: list.slice((page - 1) * limit, page * limit), page, limit, totalPage };
    },
  };
  const walked = await walk(caller, slice, settings);
  expect(walked).toEqual({ outcome: 'proven', records: list });
});

test('a first page that says only what may change otherwise has not changed', async () => {
  const { caller, sent } = callerOf(async (reply, request) => {
    if (request !== 6) return reply;
    const told = reply.records.map((each) => ({ ...each, isFromContract: 'true' }));
    return { ...reply, records: told };
  });
  expect(await walk(caller, slice, settings)).toEqual({ outcome: 'proven', records });
  expect(sent()).toBe(REQUESTS);
});
