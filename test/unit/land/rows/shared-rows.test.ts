import { rm } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
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
 * Goal: a commit compares a walk with the rows on disk that other keys landed, in this process or
 * in an earlier one, and reads no file that cannot have such rows, or whose rows it knows.
 */

const ENDPOINT = 'mainchain/address/normal-transaction-list-multi';
const [X, Y, Z] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
];
let root: string;
let lake: Lake;
let names = 0;

async function open(): Promise<void> {
  names += 1;
  const options = { root, chains: CHAINS, run: `run-${names}`, effects: quietEffects() };
  lake = await openLake({ ...options, disk: localDisk });
  whenOver(() => lake.close());
}

beforeEach(async () => {
  root = await freshFolder();
  await open();
});

/** Transactions at a height from one address to another. */
function sent(from: string, to: string, height: number, count: number) {
  return Array.from({ length: count }, (_, i) => {
    const txId = `0x${String(height * 1000 + i).padStart(64, '0')}`;
    return { txId, height: String(height), from, to, amount: '1' };
  });
}

function walk(
  key: string,
  records: ReturnType<typeof sent>,
  interval = { from: 0, to: 99 },
  status: Status = 'complete',
) {
  const { rows } = decode(
    listNamed(ENDPOINT),
    listed(listNamed(ENDPOINT).entry, records),
    interval.from,
  );
  const request = { list: listNamed(ENDPOINT), keys: [key], interval };
  const claim = { ...request, status, reason: '', head: 200, readAtMs: 0, generation: 0 };
  return { claim, records: rows, slice: 's', requests: 1 };
}

/** The places that the commit contradicts. */
async function committed(...walks: ReturnType<typeof walk>[]): Promise<string[]> {
  const { contradicted } = await lake.table('transactions').commit(walks);
  return contradicted.map(({ key, from, to }) => `${key.slice(0, 3)} ${from}-${to}`);
}

test('rows of an earlier process are compared', async () => {
  const equal = sent(X, Y, 7, 2);
  await committed(walk(X, [...sent(X, Y, 5, 2), ...equal]), walk(Z, []));
  lake.close();
  await open();
  expect(await committed(walk(Y, [...sent(X, Y, 5, 3), ...equal, ...sent(Y, Z, 9, 1)]))).toEqual([
    '0xa 5-5',
    '0xc 9-9',
  ]);
  const { coverage } = await lake.table('transactions').snapshot();
  const entry = coverage.get({ endpoint: ENDPOINT, variant: '' }, X).find(({ from }) => from === 5);
  expect(entry).toMatchObject({
    status: 'inconsistent',
    reason: `its records differ from those in the list of ${Y}`,
  });
});

test('rows that name a key which is followed only later are compared', async () => {
  await committed(walk(X, [...sent(X, Y, 5, 2), ...sent(X, Z, 6, 2)]));
  expect(await committed(walk(Y, sent(X, Y, 5, 2)))).toEqual([]);
  expect(await committed(walk(Z, []))).toEqual(['0xc 6-6']);
});

test('rows of replaced files are not compared', async () => {
  await committed(walk(X, sent(X, Z, 5, 3)), walk(Z, [], { from: 90, to: 99 }));
  await committed(walk(Y, []));
  await committed(walk(X, sent(X, Z, 5, 2), { from: 0, to: 9 }));
  expect(await committed(walk(Z, sent(X, Z, 5, 2), { from: 0, to: 9 }))).toEqual([]);
});

test('rows of other heights are not compared', async () => {
  await committed(walk(X, [...sent(X, Y, 5, 1), ...sent(X, Y, 60, 1)]));
  expect(await committed(walk(Y, sent(X, Y, 5, 1), { from: 0, to: 9 }))).toEqual([]);
});

test('rows of this process are compared without reading their file', async () => {
  lake.table('transactions').follow(listNamed(ENDPOINT), [X, Y]);
  await committed(walk(X, [...sent(X, Y, 5, 2), ...sent(X, Z, 6, 1)]));
  const { files } = await lake.table('transactions').snapshot();
  for (const file of files.values()) await rm(lake.table('transactions').pathOf(file));
  expect(await committed(walk(Y, sent(X, Y, 5, 2)))).toEqual([]);
});

test('a file with older rows beside those of its commit is read', async () => {
  lake.table('transactions').follow(listNamed(ENDPOINT), [X, Y]);
  await committed(walk(X, [...sent(X, Z, 5, 1), ...sent(X, Y, 60, 1)]));
  await committed(walk(X, sent(X, Y, 5, 2), { from: 0, to: 9 }));
  const { files } = await lake.table('transactions').snapshot();
  expect(files.size).toBe(1);
  expect(await committed(walk(Y, sent(X, Y, 5, 2)))).toEqual(['0xb 60-60']);
});
