import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { createService } from '../../service/src/server/service.ts';
import type { ServiceSettings } from '../../service/src/settings/settings.ts';
import { type SimulatedChain, simulatedChain } from '../../service/src/simulated/chain.ts';
import type { ListedRecord } from '../../src/catalogue/record-text.ts';
import type { Slice } from '../../src/coverage/slice.ts';
import type { FetchedPart } from '../../src/coverage/slice-part.ts';
import { fetchSlice } from '../../src/fetch/fetch-slice.ts';
import type { Caller } from '../../src/fetch/http/caller.ts';
import { contentOf } from '../../src/fetch/walk/record-reader.ts';
import { inProcessCaller } from '../fixtures/in-process.ts';
import { listedOne } from '../fixtures/listed.ts';
import { listNamed } from '../fixtures/lists.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { casesOf } from '../fixtures/thorough.ts';
import { unlearned } from '../fixtures/unlearned.ts';

const HEAD = 260;
const chains = ['one', 'two'].map((seed) => simulatedChain({ seed, head: HEAD }));
const sources = chains.map((chain) => chainSource(chain));

const lists = [
  { path: 'mainchain/address/normal-transaction-list-multi', params: {} },
  { path: 'mainchain/address/internal-transaction-list-multi', params: {} },
  { path: 'mainchain/address/token-transaction-list', params: { protocolType: 'token_721' } },
] as const;

/** What the slice should bring, by the chain's own records and nothing of the service. */
function truth(chain: SimulatedChain, slice: Slice): string[] {
  const endpoint = slice.list.entry;
  const texts: string[] = [];
  for (let height = slice.interval.from; height <= slice.interval.to; height += 1) {
    const records = chain.recordsAt(height)[endpoint.dataset as 'transactions'];
    for (const record of records) {
      const parties = `${record['from_address']},${record['to_address'] ?? ''}`.split(',');
      const standard = slice.list.filters['protocolType'];
      if (standard !== undefined && record['token_standard'] !== standard) continue;
      if (!slice.keys.some((key) => parties.includes(key))) continue;
      const wire: Record<string, unknown> = {};
      for (const field of endpoint.fields) wire[field.wire] = record[field.column] ?? '';
      texts.push(contentOf(listedOne(endpoint, wire)));
    }
  }
  return texts.sort();
}

async function collect(caller: Caller, slice: Slice, pageSize: number, recordCap: number) {
  const parts: FetchedPart[] = [];
  const settings = { chain: 'MAINCHAIN', pageSize, recordCap, ...unlearned() };
  for await (const part of fetchSlice(caller, slice, settings)) parts.push(part);
  return parts;
}

const contents = (records: readonly ListedRecord[]): string[] =>
  records.map((record) => contentOf(record)).sort();

/**
 * Goal: what a fetch calls complete equals the chain, whatever the page size, the record cap and
 * its style, the reading of the end of a range, and whether records are listed once per match.
 */
test('what is fetched as complete equals the chain as a multiset', async () => {
  const seed = Number(process.env['SEED'] ?? 411);
  let records = 0;
  let truncated = 0;
  const cases = fc.record({
    chain: fc.nat(chains.length - 1),
    list: fc.constantFrom(...lists),
    first: fc.nat(40),
    keys: fc.integer({ min: 1, max: 8 }),
    from: fc.nat(HEAD - 1),
    blocks: fc.integer({ min: 1, max: 220 }),
    pageSize: fc.constantFrom(1, 3, 20, 50),
    recordCap: fc.constantFrom(2, 60, 60, 10_000, 10_000),
    capStyle: fc.constantFrom('empty' as const, 'clamp' as const, 'error' as const),
    endReading: fc.constantFrom('inclusive' as const, 'exclusive' as const),
    perMatchListing: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(cases, async (sample) => {
      const chain = chains[sample.chain] as SimulatedChain;
      const source = sources[sample.chain] as (typeof sources)[number];
      const { recordCap, capStyle, endReading, perMatchListing } = sample;
      const settings: ServiceSettings = { recordCap, capStyle, endReading, perMatchListing };
      const service = createService({ source, effects: quietEffects(), settings });
      const isSingle = sample.list.path.endsWith('token-transaction-list');
      const keys = [...chain.addresses(50)]
        .slice(sample.first, sample.first + (isSingle ? 1 : sample.keys))
        .sort();
      const slice: Slice = {
        list: listNamed(sample.list.path, sample.list.params),
        keys,
        interval: { from: sample.from, to: Math.min(HEAD - 1, sample.from + sample.blocks - 1) },
        provisional: false,
      };
      const parts = await collect(inProcessCaller(service), slice, sample.pageSize, recordCap);
      for (const part of parts) {
        const expected = truth(chain, part.slice);
        if (part.status === 'complete') {
          expect(contents(part.records)).toEqual(expected);
          records += expected.length;
        } else {
          expect(`${part.status} ${part.status === 'truncated' ? '' : part.reason}`).toBe(
            'truncated ',
          );
          expect(expected.length).toBeGreaterThanOrEqual(part.records.length);
          truncated += 1;
        }
      }
    }),
    { seed, numRuns: casesOf(400) },
  );
  process.stdout.write(`walk: seed ${seed}, ${records} records, ${truncated} truncated slices\n`);
  expect(records).toBeGreaterThan(casesOf(1_000));
  expect(truncated).toBeGreaterThan(10);
});
