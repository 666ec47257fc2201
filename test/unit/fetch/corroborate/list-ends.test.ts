import { expect, test } from 'vitest';
import type { FetchedPart } from '../../../../src/coverage/slice-part.ts';
import { corroborationOf } from '../../../../src/fetch/corroborate/corroboration.ts';
import { fetchSlice } from '../../../../src/fetch/fetch-slice.ts';
import type { Proof } from '../../../../src/pipeline/pipeline.ts';
import { parsedRecord } from '../../../fixtures/listed.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { Lister } from '../../../fixtures/walk-lister.ts';
import { NORMAL, record, settingsOf, sliceOf } from '../../../fixtures/walk-setup.ts';

/**
 * Goal: with `proof: strict` a list that lacks the records of the newest blocks is complete only up
 * to its newest record.
 */

/** Status of the last part that landed at each height. */
async function statusesAt(proof: Proof, index: number, heights: readonly number[]) {
  const list = [380, 350, 250, 50].map((height) => record(height, { txId: `0x${height}` }));
  const caller = new Lister(list, {
    tamper: (reply, { endpoint, query }) => {
      const newest = list.map(({ height }) => ({ height, txnCount: '1' }));
      if (endpoint.servesHead === true) return { ...reply, records: newest };
      if (query['endBlockHeight'] === undefined) return reply;
      const records = reply.records.filter((row) => Number(parsedRecord(row)['height']) <= index);
      return { ...reply, records, totalPage: records.length === 0 ? 0 : 1 };
    },
  });
  const settings = settingsOf({ proof });
  const { facts } = settings;
  facts.learnEdges(NORMAL, { from: true, to: true });
  const corroboration = corroborationOf({ caller, facts }, quietEffects());
  const landed: FetchedPart[] = [];
  const land = async (part: FetchedPart): Promise<void> => void landed.push(part);
  const to = { head: 400, settings, land, fail: () => undefined };
  const slice = sliceOf({ list: listNamed(NORMAL), interval: { from: 0, to: 399 } });
  await corroboration.takeAll(slice, fetchSlice(caller, slice, settings), to);
  await corroboration.settle(false);
  return heights.map((height) => {
    const isHere = ({ slice: { interval } }: FetchedPart): boolean =>
      interval.from <= height && interval.to >= height;
    return landed.findLast(isHere)?.status;
  });
}

test('the blocks above the newest record of such a list are provisional', async () => {
  expect(await statusesAt('strict', 320, [100, 250, 251, 350, 399])).toEqual([
    'complete',
    'complete',
    'provisional',
    'provisional',
    'provisional',
  ]);
});

test('a list with the records of the newest blocks is complete', async () => {
  expect(await statusesAt('strict', 400, [100, 390])).toEqual(['complete', 'complete']);
});
