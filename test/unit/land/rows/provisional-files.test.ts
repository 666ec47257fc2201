import { beforeAll, expect, test } from 'vitest';
import type { Status } from '../../../../src/coverage/coverage.ts';
import { type Lake, openLake } from '../../../../src/land/lake.ts';
import { decode } from '../../../../src/land/rows/decode.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { CHAINS } from '../../../fixtures/chains.ts';
import { listed } from '../../../fixtures/listed.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { freshFolder, whenOver } from '../../../fixtures/when-over.ts';

/**
 * Goal: rows that may still change lie in files of their own, so that replacing them in every run
 * leaves the files of final rows as they are.
 */

const ENDPOINT = 'mainchain/address/normal-transaction-list-multi';
const KEY = `0x${'a'.repeat(40)}`;
let root: string;
let lake: Lake;

beforeAll(async () => {
  root = await freshFolder();
  const effects = quietEffects();
  lake = await openLake({ root, chains: CHAINS, run: 'one', effects, disk: localDisk });
  whenOver(() => lake.close());
});

function walkOf(from: number, to: number, status: Status) {
  const records = Array.from({ length: to - from + 1 }, (_, i) => {
    const height = String(from + i);
    return { txId: `0x${height.padStart(64, '0')}`, height, from: KEY, amount: '' };
  });
  const { rows } = decode(listNamed(ENDPOINT), listed(listNamed(ENDPOINT).entry, records), from);
  const request = { list: listNamed(ENDPOINT), keys: [KEY], interval: { from, to } };
  const claim = { ...request, status, reason: '', head: 20, readAtMs: 0, generation: 0 };
  return { claim, records: rows, slice: 's', requests: 1 };
}

async function files(): Promise<[string, number, number][]> {
  const snapshot = await lake.table('transactions').snapshot();
  return [...snapshot.files.values()]
    .map(({ path, heights }): [string, number, number] => {
      return [path, heights?.from ?? -1, heights?.to ?? -1];
    })
    .sort((a, b) => a[1] - b[1]);
}

test('provisional rows are replaced without a final file being written anew', async () => {
  const table = lake.table('transactions');
  await table.commit([walkOf(0, 9, 'complete'), walkOf(10, 14, 'provisional')]);
  const first = await files();
  expect(first.map(([, from, to]) => [from, to])).toEqual([
    [0, 9],
    [10, 14],
  ]);
  await table.commit([walkOf(10, 12, 'complete'), walkOf(13, 17, 'provisional')]);
  const second = await files();
  expect(second.map(([, from, to]) => [from, to])).toEqual([
    [0, 9],
    [10, 12],
    [13, 17],
  ]);
  expect(second[0]?.[0]).toBe(first[0]?.[0]);
});
