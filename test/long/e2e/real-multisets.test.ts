import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { tablesSource } from '../../../service/src/memory/records-source.ts';
import { recordReader } from '../../../service/src/memory/wire-reader.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { exportLake, PIPELINE, serve, temporaryRoot } from '../../e2e/harness.ts';
import { landedLines, lineOf } from '../../e2e/landed-lists.ts';
import { IS_EXHAUSTIVE } from '../../fixtures/thorough.ts';
import { whenOver } from '../../fixtures/when-over.ts';
import { Chance } from '../../model/chance.ts';

const RECORDS = fileURLToPath(new URL('../../../../shared/data/mainnet', import.meta.url));
const hasRecords = existsSync(RECORDS);
if (!hasRecords) process.stdout.write(`skipped: real records are not at ${RECORDS}\n`);

const DATASETS = ['blocks', 'transactions', 'internal_transactions', 'token_transfers'] as const;
type Dataset = (typeof DATASETS)[number];

const LISTS: readonly { endpoint: string; variant: string; dataset: Dataset }[] = [
  {
    endpoint: 'mainchain/address/normal-transaction-list-multi',
    variant: '',
    dataset: 'transactions',
  },
  {
    endpoint: 'mainchain/address/internal-transaction-list-multi',
    variant: '',
    dataset: 'internal_transactions',
  },
  ...['token_20', 'token_721', 'token_1155', 'token_10'].map((standard) => ({
    endpoint: 'mainchain/address/token-transaction-list',
    variant: `protocolType=${standard}`,
    dataset: 'token_transfers' as const,
  })),
];

function read(dataset: Dataset): CanonicalRecord[] {
  const text = gunzipSync(readFileSync(`${RECORDS}/${dataset}.ndjson.gz`)).toString('utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map(recordReader(dataset));
}

/**
 * The real blocks are far apart, so their heights are numbered one after another; a record says
 * everything else that it said before. One more number stands for a newest block without records.
 */
function adjacent(): Map<Dataset, CanonicalRecord[]> {
  const real = new Map(DATASETS.map((dataset) => [dataset, read(dataset)]));
  const heights = (real.get('blocks') ?? []).map((block) => Number(block['block_number']));
  const placeOf = new Map(heights.sort((a, b) => a - b).map((height, place) => [height, place]));
  const moved = (record: CanonicalRecord): CanonicalRecord => {
    return { ...record, block_number: String(placeOf.get(Number(record['block_number']))) };
  };
  const tables = new Map([...real].map(([name, records]) => [name, records.map(moved)]));
  const [block] = tables.get('blocks') ?? [];
  const newest = {
    ...block,
    block_number: String(heights.length),
    block_hash: `0x${'f'.repeat(64)}`,
  };
  tables.get('blocks')?.push(newest);
  return tables;
}

function touches({ from_address: from, to_address: to }: CanonicalRecord, keys: Set<string>) {
  return keys.has(String(from)) || keys.has(String(to));
}

/** The addresses that the most records name, the busiest first. */
function byActivity(records: Iterable<CanonicalRecord>): string[] {
  const counts = new Map<string, number>();
  for (const { from_address: from, to_address: to } of records) {
    for (const key of new Set([from, to])) {
      if (typeof key === 'string') counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([key]) => key);
}

/**
 * Goal: no real record is lost or doubled, copies and all, while addresses that deal with each
 * other are asked in other groups from run to run.
 */
describe.skipIf(!hasRecords)(
  'real records are as often in the lake as they were on the chain',
  () => {
    test.each([
      ['once', false],
      ['once per matched address', true],
    ])('where the service lists a record %s', async (_, perMatchListing) => {
      const chance = new Chance(20_261_121);
      const tables = adjacent();
      const ranked = byActivity([...tables.values()].flat());
      const known = [...ranked.slice(0, 18), ...ranked.slice(300, 306)];
      const served = await serve(tablesSource(tables), { perMatchListing });
      const { root, remove } = await temporaryRoot();
      whenOver(served.close, remove);
      const text = PIPELINE.replace('blocks: { to: head }', 'blocks: { to: safe }');

      const asked = new Set<string>();
      const groups = IS_EXHAUSTIVE ? [20, 7, 3, 1, 5, 20] : [20, 7, 20];
      for (const [run, groupSize] of groups.entries()) {
        const isLast = run === groups.length - 1;
        const addresses = (isLast ? known : chance.some(known, 9)).toSorted();
        const change = <P extends object>(pipeline: P): P => ({ ...pipeline, groupSize });
        await exportLake({ text, addresses, root, url: served.url, change });
        for (const address of addresses) asked.add(address);
        let copies = 0;
        for (const list of LISTS) {
          const truth = (tables.get(list.dataset) ?? []).filter((record) => {
            const standard = record['token_standard'];
            const isOfList = standard === undefined || list.variant.endsWith(`=${standard}`);
            return isOfList && touches(record, asked);
          });
          const expected = truth.map((record) => lineOf(record, list)).sort();
          expect((await landedLines(root, list)).sort()).toEqual(expected);
          copies += expected.length - new Set(expected).size;
        }
        expect(copies).toBeGreaterThan(100);
      }
      const between = (tables.get('internal_transactions') ?? []).filter(
        ({ from_address: from, to_address: to }) =>
          from !== to && known.includes(String(from)) && known.includes(String(to)),
      );
      expect(between.length).toBeGreaterThan(100);
    });
  },
);
