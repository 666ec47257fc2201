import { beforeEach, expect, test } from 'vitest';
import { lakeSource } from '../../../../../service/src/lake/lake-source.ts';
import { createService } from '../../../../../service/src/server/service.ts';
import type { ServiceSettings } from '../../../../../service/src/settings/settings.ts';
import { fetchSlice } from '../../../../../src/fetch/fetch-slice.ts';
import { freshLake } from '../../../../fixtures/fresh-lake.ts';
import { inProcessCaller } from '../../../../fixtures/in-process.ts';
import { listNamed } from '../../../../fixtures/lists.ts';
import { LIST, transaction } from '../../../../fixtures/load-lake.ts';
import { quietEffects } from '../../../../fixtures/quiet-effects.ts';
import { unlearned } from '../../../../fixtures/unlearned.ts';
import { whenOver } from '../../../../fixtures/when-over.ts';

/**
 * Goal: the blocks of a served lake can be exported from it, although it refuses the blocks beside
 * them, which walks request until they know whether ranges include their ends.
 */

const KEY = `0x${'a'.repeat(40)}`;
const HEAD = 90;

const small = freshLake(beforeEach);

beforeEach(async () => {
  const records = [{ hash: '0xe', height: String(HEAD), state: 'done' }];
  await small.land(LIST.blocks, { keys: [''], records });
});

interface Held {
  readonly from: number;
  readonly to: number;
  /** Heights of the key's transactions. */
  readonly heights: readonly number[];
}

/** Statuses and heights of an export from a lake, by default of exactly its blocks. */
async function exportedFrom(
  { from, to, heights }: Held,
  settings: ServiceSettings = {},
  interval = { from, to },
) {
  const records = heights.map((height, i) => {
    return transaction({ txId: `0x0${i}`, height: String(height), from: KEY });
  });
  await small.land(LIST.transactions, { keys: [KEY], from, to, records });
  await small.curate();
  const source = await lakeSource({ root: small.root, effects: quietEffects() });
  whenOver(() => source.close());
  const service = createService({ source, effects: quietEffects(), settings });
  const slice = {
    list: listNamed(LIST.transactions),
    keys: [KEY],
    interval,
    provisional: false,
  };
  const question = { chain: 'MAINCHAIN', pageSize: 20, recordCap: 10_000, ...unlearned() };
  const exported: unknown[] = [];
  for await (const part of fetchSlice(inProcessCaller(service), slice, question)) {
    exported.push([part.status, part.records.map(({ height }) => Number(height)).sort()]);
  }
  return exported;
}

test('records at both ends of the available blocks are exported', async () => {
  const held = { from: 30, to: 50, heights: [30, 50] };
  expect(await exportedFrom(held)).toEqual([['complete', [30, 50]]]);
});

test('available blocks without records are proven empty, below the head and up to it', async () => {
  expect(await exportedFrom({ from: 30, to: 50, heights: [] })).toEqual([['complete', []]]);
  expect(await exportedFrom({ from: 60, to: HEAD, heights: [] })).toEqual([['complete', []]]);
});

test('the same holds for a lake that is served without the last block of a range', async () => {
  const held = { from: 30, to: 50, heights: [40, 50] };
  const exported = await exportedFrom(held, { endReading: 'exclusive' });
  expect(exported).toEqual([['complete', [40, 50]]]);
});

test('blocks beside the available ones are refused', async () => {
  const held = { from: 30, to: 50, heights: [40] };
  const beside = exportedFrom(held, {}, { from: 29, to: 50 });
  await expect(beside).rejects.toThrow('blocks 29 to 29 of transactions were not exported');
});
