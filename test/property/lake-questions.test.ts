import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Query } from '../../service/src/protocol/source.ts';
import { casesOf, IS_EXHAUSTIVE } from '../fixtures/thorough.ts';
import {
  answered,
  COMPARED,
  FROM,
  type TwoSources,
  twoSources,
  ZONE_TO,
} from '../fixtures/two-sources.ts';

const SEED = Number(process.env['SEED'] ?? 1_972);
const QUESTIONS = casesOf(IS_EXHAUSTIVE ? 5_000 : 400);

let sources: TwoSources;

beforeAll(async () => {
  sources = await twoSources();
});

afterAll(() => sources.close());

/** Columns that name hashes or addresses in every list alike. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  transactions: ['tx_hash', 'from_address', 'to_address'],
  internal_transactions: ['tx_hash', 'from_address', 'to_address'],
  token_transfers: ['tx_hash', 'from_address', 'to_address', 'token_address'],
  cross_chain_transfers: ['zone_tx_hash', 'main_tx_hash', 'from_address', 'to_address'],
};

/** Questions of all sorts, about values that records have. */
const questions: fc.Arbitrary<Query> = fc
  .constantFrom(...Object.keys(COMPARED))
  .chain((dataset) => {
    const columns = fc.subarray([...(NAMED[dataset] ?? [])], { minLength: 1 });
    const value = fc.nat().map((n) => valueIn(dataset, n));
    const naming = fc.record({
      columns,
      values: fc.uniqueArray(value, { minLength: 1, maxLength: 20 }),
    });
    const amount = fc.constantFrom(
      '0',
      '0.5',
      '12',
      '1.5',
      '3000',
      '0.0000000000000000000001',
      '-1',
    );
    const bound = fc
      .tuple(fc.option(amount, { nil: undefined }), fc.option(amount, { nil: undefined }))
      .map(([least, most]) => ({
        column: 'amount',
        ...(least === undefined ? {} : { least }),
        ...(most === undefined ? {} : { most }),
      }));
    const height = fc.oneof(
      fc.integer({ min: FROM - 5, max: FROM + 90 }),
      fc.integer({ min: 0, max: ZONE_TO }),
    );
    return fc
      .record({
        keys: fc.option(naming, { nil: undefined }),
        filters: fc.array(naming, { maxLength: 2 }),
        bounds: fc.array(bound, { maxLength: 1 }),
        interval: fc.record({ from: height, to: height }),
        oncePerKey: fc.boolean(),
        offset: fc.constantFrom(0, 0, 1, 20),
      })
      .map(({ keys, ...rest }) => ({
        dataset,
        // Both agree on the order of heights alone, so whole lists are compared.
        count: 100_000,
        ...rest,
        ...(keys === undefined ? {} : { keys }),
      }));
  });

function valueIn(dataset: string, nth: number): string {
  const records = sources.records.get(dataset) ?? [];
  const names = NAMED[dataset] ?? [];
  const value = records[nth % records.length]?.[names[nth % names.length] ?? ''];
  const several = String(value ?? '0xdead').split(',');
  return (several[nth % several.length] ?? '').trim();
}

/**
 * Goal: whatever is asked of a lake, by heights, hashes, addresses and amounts in any combination,
 * is answered as the records themselves answer it.
 */
test('a lake answers any question as its records do', async () => {
  let records = 0;
  await fc.assert(
    fc.asyncProperty(questions, async ({ offset, ...query }) => {
      const [total, lines, heights] = await answered(sources.lake, { ...query, offset: 0 });
      expect([total, lines, heights]).toEqual(
        await answered(sources.plain, { ...query, offset: 0 }),
      );
      const later = await sources.lake.find({ ...query, offset });
      expect(later.total).toBe(total);
      expect(later.records).toHaveLength(Math.max(0, total - offset));
      records += total;
    }),
    { seed: SEED, numRuns: QUESTIONS },
  );
  process.stdout.write(
    `lake questions: seed ${SEED}, ${QUESTIONS} asked, ${records} records found\n`,
  );
  expect(records).toBeGreaterThan(QUESTIONS);
});
