import { expect, test } from 'vitest';
import type { WireRecord } from '../../../../../src/catalogue/record.ts';
import type { Slice } from '../../../../../src/coverage/slice.ts';
import type { FetchedPart } from '../../../../../src/coverage/slice-part.ts';
import { fetchSlice } from '../../../../../src/fetch/fetch-slice.ts';
import { parsedRecord } from '../../../../fixtures/listed.ts';
import { listNamed } from '../../../../fixtures/lists.ts';
import { unlearned } from '../../../../fixtures/unlearned.ts';
import { gathered, Lister, type ListerOptions } from '../../../../fixtures/walk-lister.ts';

const slice: Slice = {
  list: listNamed('mainchain/address/native-token-position-list'),
  keys: [''],
  interval: { from: 500, to: 500 },
  provisional: false,
};

const holder = (i: number, rank = i + 1): WireRecord => {
  return {
    rank: String(rank),
    holderAddress: `0x${String(i).padStart(40, '0')}`,
    amount: String(1000 - i),
  };
};
const ranking = Array.from({ length: 45 }, (_, i) => holder(i));

async function fetched(
  list: readonly WireRecord[],
  options: ListerOptions = {},
): Promise<{ readonly parts: FetchedPart[]; readonly lister: Lister }> {
  const lister = new Lister(list, options);
  const settings = { chain: 'X', pageSize: 10, recordCap: 20, ...unlearned() };
  return { parts: await gathered(fetchSlice(lister, slice, settings)), lister };
}

test('a ranking whose first page changed during the reading is read again', async () => {
  const { parts, lister } = await fetched(ranking, {
    before: (service) => {
      if (service.requests !== 4) return;
      service.records = service.records.map((entry, i) =>
        i === 0 ? { ...entry, amount: '2000' } : entry,
      );
    },
  });
  expect(parts.map(({ status }) => status)).toEqual(['complete']);
  expect(parts[0]?.records[0]?.valueIn('amount')).toBe('2000');
  expect(lister.requests).toBe(12);
});

test('a ranking that changes in every reading is landed as inconsistent, with each holder once', async () => {
  let amount = 2000;
  const { parts } = await fetched(ranking, {
    before: (service) => {
      amount += 1;
      const moved = service.records.toSpliced(30, 1);
      service.records = [{ ...holder(77), amount: String(amount) }, ...moved.slice(0, 44)];
    },
  });
  expect(parts).toMatchObject([{ status: 'inconsistent' }]);
  const holders = parts[0]?.records.map((entry) => parsedRecord(entry)['holderAddress']);
  expect(holders?.length).toBeGreaterThan(10);
  expect(new Set(holders).size).toBe(holders?.length);
});

test('a ranking that had holders, and then none, is inconsistent', async () => {
  const nothing = { records: [], page: 0, totalPage: 0 };
  const { parts } = await fetched(ranking, {
    tamper: (reply, { request }) => (request > 2 ? { ...reply, ...nothing } : reply),
  });
  expect(parts).toMatchObject([{ status: 'inconsistent' }]);
  expect(parts[0]?.records.length).toBeGreaterThan(0);
});

test.each([
  ['leaves out a rank', (list: WireRecord[]) => list.toSpliced(20, 1)],
  [
    'names one holder at two ranks',
    (list: WireRecord[]) => list.map((entry, i) => (i === 30 ? holder(3, 31) : entry)),
  ],
  ['does not begin with the first rank', (list: WireRecord[]) => list.slice(1)],
])('a ranking that %s is inconsistent', async (_name, spoil) => {
  const { parts } = await fetched(spoil(ranking));
  expect(parts.map(({ status }) => status)).toEqual(['inconsistent']);
});

test('a page count that is one too low is detected behind a full page', async () => {
  const { parts } = await fetched(ranking.slice(0, 20), {
    tamper: (reply, { limit, page }) =>
      page === 1 && limit === 10 ? { ...reply, totalPage: 1 } : reply,
  });
  expect(parts.map(({ status }) => status)).toEqual(['inconsistent']);
  const honest = await fetched(ranking.slice(0, 20));
  expect(honest.parts.map(({ status }) => status)).toEqual(['complete']);
});
