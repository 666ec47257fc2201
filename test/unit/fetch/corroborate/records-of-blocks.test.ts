import { expect, test } from 'vitest';
import { RecordsOfBlocks } from '../../../../src/fetch/corroborate/records-of-blocks.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { Lister } from '../../../fixtures/walk-lister.ts';
import { NORMAL, record, settingsOf } from '../../../fixtures/walk-setup.ts';

/** Goal: only blocks with transactions in the interval say whether the end of a list is shown. */

/** Whether the end is shown, and the blocks whose records were requested. */
async function endShown(counts: Readonly<Record<number, number>>, shown: readonly number[]) {
  const blocks = Object.entries(counts).map(([height, count]) => ({
    height,
    txnCount: String(count),
  }));
  const caller = new Lister(
    [390, 380, 350].map((height) => record(height)),
    {
      tamper: (reply, { endpoint, query }) => {
        if (endpoint.servesHead === true) return { ...reply, records: blocks };
        if (query['endBlockHeight'] === undefined) return reply;
        const isShown = shown.includes(Number(query['endBlockHeight']));
        return isShown ? reply : { ...reply, records: [], totalPage: 0 };
      },
    },
  );
  const settings = settingsOf();
  settings.facts.learnEdges(NORMAL, { from: true, to: true });
  const records = new RecordsOfBlocks({ caller, facts: settings.facts });
  const interval = { from: 340, to: 399 };
  const isShown = await records.isEndShown(listNamed(NORMAL), interval, settings);
  const heights = new Set(caller.calls.flatMap(({ query }) => query['height'] ?? []));
  return { isShown, heights: [...heights] };
}

test.each([
  ['a block that has no record of the list is passed over', { 395: 2, 390: 1 }, ['395', '390']],
  [
    'blocks without transactions, and those outside, are not asked',
    { 398: 0, 410: 3, 390: 1 },
    ['390'],
  ],
  ['blocks are asked from the newest on, until one is shown', { 350: 1, 380: 1, 390: 1 }, ['390']],
])('%s', async (_, counts, heights) => {
  expect(await endShown(counts, [390])).toEqual({ isShown: true, heights });
});

test('an end is not shown if the list has an older record only', async () => {
  expect(await endShown({ 350: 1, 380: 1, 390: 1 }, [380])).toMatchObject({ isShown: false });
});

test('an end is unknown if none of the blocks has a record of the list', async () => {
  expect(await endShown({ 395: 1, 396: 1 }, [])).toMatchObject({ isShown: undefined });
});
