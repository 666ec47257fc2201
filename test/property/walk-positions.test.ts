import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endpointAt } from '../../src/catalogue/index.ts';
import type { WireRecord } from '../../src/catalogue/record.ts';
import type { Slice } from '../../src/coverage/slice.ts';
import type { FetchedPart } from '../../src/coverage/slice-part.ts';
import { fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { contentOf } from '../../src/fetch/walk/record-reader.ts';
import { listedOne } from '../fixtures/listed.ts';
import { listNamed } from '../fixtures/lists.ts';
import { casesOf } from '../fixtures/thorough.ts';
import { unlearned } from '../fixtures/unlearned.ts';
import { seededRandom } from '../fixtures/virtual-clock.ts';
import { gathered, Lister } from '../fixtures/walk-lister.ts';

const TOKEN = `0x${'7'.repeat(40)}`;

const shapes = [
  { path: 'mainchain/zone/block/block-list', keys: [''], chain: 'ZONECHAIN' },
  { path: 'mainchain/block/block-list', keys: [''], chain: 'MAINCHAIN' },
  { path: 'mainchain/token/transaction-list', keys: [TOKEN], chain: 'MAINCHAIN' },
] as const;

/** Blocks have a hash and come one a height; transfers have none and may be equal. */
function recordAt(path: string, height: number, random: () => number): WireRecord {
  if (path.includes('block-list')) return { hash: `0x${height.toString(16)}`, height: `${height}` };
  const amount = ['1', '1', '1', '2.5', '0.000000000000000001', '7'.repeat(60)][
    Math.floor(random() * 6)
  ];
  const from = `0x${Math.floor(random() * 3)}`;
  return { txid: '0x1', height: `${height}`, from, tokenContractAddress: TOKEN, amount };
}

/** `count` records, newest first, with the heights from `first` up; some heights have none. */
function records(path: string, first: number, count: number, random: () => number): WireRecord[] {
  const made: WireRecord[] = [];
  let height = first;
  while (made.length < count) {
    const here = path.includes('block-list') ? 1 : Math.floor(random() * 6);
    for (let i = 0; i < here; i += 1) made.push(recordAt(path, height, random));
    height += 1 + (random() < 0.1 ? 3 : 0);
  }
  return made.reverse();
}

/**
 * Goal: whatever comes in front of a list while it is read, and in whatever order answers come,
 * every record of the asked heights is fetched once, and all of it is called complete.
 */
test('an interval of a list that grows with every request is fetched exactly', async () => {
  const seed = Number(process.env['SEED'] ?? 411);
  const runs = casesOf(120);
  let fetched = 0;
  let requests = 0;
  const ends: Record<string, number> = {};
  const cases = fc.record({
    shape: fc.constantFrom(...shapes),
    seed: fc.integer(),
    count: fc.integer({ min: 0, max: 3_000 }),
    growth: fc.integer({ min: 0, max: 30 }),
    pageSize: fc.integer({ min: 1, max: 100 }),
    start: fc.integer({ min: 0, max: 1_000 }),
    share: fc.integer({ min: 0, max: 1_000 }),
    isCapped: fc.boolean(),
  });
  process.stdout.write(`walk of moving lists: seed ${seed}\n`);
  await fc.assert(
    fc.asyncProperty(cases, async (sample) => {
      const { path, keys, chain } = sample.shape;
      const endpoint = endpointAt(path);
      const random = seededRandom(sample.seed);
      const list = records(path, 1, sample.count, random);
      const head = Number(list[0]?.['height'] ?? 100);
      const from = Math.floor((sample.start / 1_000) * head);
      const to = Math.min(head, from + Math.floor((sample.share / 1_000) ** 2 * head));
      const isCapped = sample.isCapped && keys[0] !== '';
      const cap = isCapped ? 500 : Number.POSITIVE_INFINITY;
      // What is listed must not sink below the cap while it is read.
      const growth = isCapped ? Math.min(3, sample.growth) : sample.growth;
      let next = head + 1;
      const lister = new Lister(list, {
        cap,
        turns: () => Math.floor(random() * 12),
        before: (service) => {
          const more = Math.floor(random() * (growth + 1));
          const added = records(path, next, more, random);
          next = Number(added[0]?.['height'] ?? next) + 1;
          service.records = [...added, ...service.records];
        },
      });
      const slice: Slice = {
        list: listNamed(path),
        keys,
        interval: { from, to },
        provisional: false,
      };
      const size = Math.min(sample.pageSize, endpoint.limits.pageSize?.max ?? 100);
      const settings = { chain, pageSize: size, recordCap: cap, ...unlearned() };
      const parts = await gathered(fetchSlice(lister, slice, settings));
      const inside = (part: FetchedPart): string[] =>
        lister.records
          .map((record) => listedOne(endpoint, record))
          .filter(({ height = -1 }) => {
            return height >= part.slice.interval.from && height <= part.slice.interval.to;
          })
          .map((record) => contentOf(record))
          .sort();
      for (const part of parts) {
        const contents = part.records.map((record) => contentOf(record)).sort();
        ends[part.status] = (ends[part.status] ?? 0) + 1;
        if (part.status === 'depth_limited') expect(from === 0 || sample.count === 0).toBe(true);
        else if (part.status === 'truncated') {
          expect(contents.length).toBeLessThanOrEqual(inside(part).length);
        } else {
          expect([part.status, part.reason, lister.requests]).toEqual([
            'complete',
            '',
            lister.requests,
          ]);
          expect(contents).toEqual(inside(part));
        }
        fetched += contents.length;
      }
      expect(parts.reduce((sum, part) => sum + part.requests, 0)).toBe(lister.requests);
      requests += lister.requests;
    }),
    { seed, numRuns: runs },
  );
  process.stdout.write(
    `${runs} lists, ${fetched} records, ${requests} requests, ${JSON.stringify(ends)}\n`,
  );
  expect(fetched).toBeGreaterThan(1_000);
});
