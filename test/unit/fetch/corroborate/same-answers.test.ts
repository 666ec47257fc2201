import { expect, test } from 'vitest';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import type { Slice } from '../../../../src/coverage/slice.ts';
import type { FetchedPart } from '../../../../src/coverage/slice-part.ts';
import { Corroboration } from '../../../../src/fetch/corroborate/corroboration.ts';
import type { LandsAs } from '../../../../src/fetch/corroborate/destination.ts';
import { fetchSlice } from '../../../../src/fetch/fetch-slice.ts';
import { ListFacts } from '../../../../src/fetch/walk/list-facts.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { Lister } from '../../../fixtures/walk-lister.ts';
import { B, record, settingsOf, sliceOf } from '../../../fixtures/walk-setup.ts';

/**
 * Goal: a filter whose value records do not carry is trusted only while two of its values return
 * different records for the same question.
 */

const TOKENS = 'mainchain/address/token-transaction-list';
const cut = (standard: string, more: Partial<Slice> = {}): Slice =>
  sliceOf({ list: listNamed(TOKENS, { protocolType: standard }), ...more });

const erc20 = [record(150), record(140)];
const erc721 = [record(145, { tokenId: '7' })];

/**
 * The parts landed at the end, by filter and keys, of slices that are fetched one after the other.
 */
async function landed(
  slices: readonly Slice[],
  recordsOf: (standard: string) => readonly WireRecord[],
): Promise<Map<string, string>> {
  const ends = new Map<string, string>();
  const facts = new ListFacts({});
  const lister = new Lister([], {
    before: (list) => {
      const standard = list.calls.at(-1)?.query['protocolType'] ?? '';
      list.records = [...recordsOf(standard)];
    },
  });
  const settings = settingsOf({ facts });
  const corroboration = new Corroboration({
    caller: lister,
    facts,
    pause: async () => undefined,
    random: () => 0.5,
  });
  const land = async ({ slice, status, reason }: FetchedPart, as: LandsAs): Promise<void> => {
    const { protocolType } = slice.list.filters;
    const end = reason === '' ? status : `${status} ${as}: ${reason}`;
    ends.set(`${protocolType} ${slice.keys.join().slice(0, 3)} ${slice.interval.from}`, end);
  };
  const fail = (_part: FetchedPart, reason: string): void => {
    throw new Error(reason);
  };
  for (const slice of slices) {
    const parts = fetchSlice(lister, slice, settings);
    await corroboration.takeAll(slice, parts, { head: 1_000_000, settings, land, fail });
  }
  await corroboration.settle(false);
  return ends;
}

const IGNORED = 'inconsistent refuting: token_20 and token_721 have the same records: ';

test('two values with the same records make both inconsistent', async () => {
  const ends = await landed([cut('token_20'), cut('token_721')], () => erc20);
  expect([...ends.keys()]).toEqual(['token_20 0xa 100', 'token_721 0xa 100']);
  for (const end of ends.values()) expect(end).toContain(IGNORED);
});

test('all answers of both values are inconsistent then, empty ones too', async () => {
  const early = { interval: { from: 0, to: 99 } };
  const late = { interval: { from: 200, to: 299 } };
  const cuts = [early, {}, late].flatMap((more) => [cut('token_20', more), cut('token_721', more)]);
  const ends = await landed(cuts, () => erc20);
  expect(ends.size).toBe(6);
  for (const end of ends.values()) expect(end).toContain(IGNORED);
});

test('the order of the records makes no difference', async () => {
  const ends = await landed([cut('token_20'), cut('token_721')], (standard) =>
    standard === 'token_20' ? erc20 : [...erc20].reverse(),
  );
  for (const end of ends.values()) expect(end).toContain(IGNORED);
});

test('two values with different records are complete', async () => {
  const ends = await landed([cut('token_20'), cut('token_721')], (standard) =>
    standard === 'token_20' ? erc20 : erc721,
  );
  expect([...ends.values()]).toEqual(['complete', 'complete']);
});

test('a record that only one of them has twice makes them different', async () => {
  const ends = await landed([cut('token_20'), cut('token_721')], (standard) =>
    standard === 'token_20' ? erc20 : [...erc20, ...erc20],
  );
  expect([...ends.values()]).toEqual(['complete', 'complete']);
});

test('two values without records are no evidence about the filter', async () => {
  const ends = await landed([cut('token_20'), cut('token_721'), cut('token_1155')], (standard) =>
    standard === 'token_1155' ? erc721 : [],
  );
  expect(new Set(ends.values())).toEqual(new Set(['complete']));
});

test('the same value requested twice is the same question', async () => {
  const ends = await landed([cut('token_20'), cut('token_20')], () => erc20);
  expect([...ends.values()]).toEqual(['complete']);
});

test('only answers about the same keys and blocks are compared', async () => {
  const both = erc20.map((row) => ({ ...row, to: B }));
  const slices = [
    cut('token_20'),
    cut('token_721', { keys: [B] }),
    cut('token_721', { interval: { from: 101, to: 199 } }),
  ];
  const ends = await landed(slices, () => both);
  expect([...ends.values()]).toEqual(['complete', 'complete', 'complete']);
});
