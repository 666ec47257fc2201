import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Status } from '../../../../src/coverage/coverage.ts';
import { forgottenIn } from '../../../../src/land/rows/forgotten-in.ts';
import { type Disk, localDisk } from '../../../../src/land/storage/disk.ts';
import { damageBehind } from '../../../../src/land/verify/damage-fault.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { listNamed } from '../../../fixtures/lists.ts';
import { LIST } from '../../../fixtures/load-lake.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { DiskStore } from '../../../model/disk-store.ts';
import { dyingDisk } from '../../../model/dying-disk.ts';

/** Goal: whenever a process is killed, no look-up counts as complete that its commit opens. */

const BY_HASH = listNamed(LIST.transactionsByHash);
const stores: DiskStore[] = [];
const small = freshLake(beforeEach);
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

async function openStore(disk: Disk, at: string): Promise<DiskStore> {
  const store = await DiskStore.open(quietEffects(), disk, `${small.root}/${at}`, 'transactions');
  stores.push(store);
  return store;
}

function walk(status: Status, more: object = {}) {
  const interval = { from: 0, to: 99 };
  const claim = { list: BY_HASH, keys: ['0x02'], interval, status, reason: '', head: 99 };
  const refutes = status === 'complete' ? {} : { refutes: true as const };
  const rest = { records: [], slice: 'test', requests: 1 };
  return { claim: { ...claim, readAtMs: 1, generation: 0, ...refutes, ...more }, ...rest };
}

/** What is left of the table after each operation at which the process may be killed. */
async function afterKills(
  prepare: (store: DiskStore) => Promise<unknown>,
  work: (store: DiskStore) => Promise<unknown>,
): Promise<string[]> {
  const killed = new Error('killed');
  const left: string[] = [];
  for (let kill = 1; ; kill += 1) {
    const at = `lake-${kill}`;
    await prepare(await openStore(localDisk, at));
    const dying = await openStore(dyingDisk(localDisk, kill, killed), at);
    const isKilled = await work(dying).then(
      () => false,
      (error: unknown) => error === killed,
    );
    const { table } = await openStore(localDisk, at);
    const landed = await table.landed(BY_HASH, ['0x02']);
    left.push(landed.map(({ from, to }) => `${from}-${to}`).join(' '));
    for (const store of stores.splice(0)) await store.close();
    if (!isKilled) return [...new Set(left)];
  }
}

test('an empty answer that its own commit refutes is never complete', async () => {
  const left = await afterKills(
    ({ table }) => table.commit([walk('complete', { keys: ['0x09'] })]),
    ({ table }) => table.commit([walk('complete'), walk('inconsistent')]),
  );
  expect(left).toEqual(['']);
});

test('a commit reads each of its look-ups a few times, however many it has', async () => {
  let reads = 0;
  const { claim, ...rest } = walk('complete');
  const walks = Array.from({ length: 500 }, (_, i) => ({
    ...rest,
    get claim() {
      reads += 1;
      return { ...claim, keys: [`0x${i}`] };
    },
  }));
  const { table } = await openStore(localDisk, 'many');
  await table.commit(walks);
  expect(reads).toBeLessThan(500 * 50);
});

test('one that a later commit refutes has no row, whatever is lost of that commit', async () => {
  const left = await afterKills(
    ({ table }) => table.commit([walk('complete')]),
    ({ table }) => table.commit([walk('inconsistent')]),
  );
  expect(left).toEqual(['0-99', '']);
  const store = await openStore(localDisk, 'last');
  await store.table.commit([walk('complete')]);
  await store.table.commit([walk('inconsistent')]);
  expect((await store.table.empty?.stored.snapshot())?.files.size).toBe(0);
});

test('a look-up that is forgotten is not complete without its rows', async () => {
  const left = await afterKills(
    ({ table }) => table.commit([walk('complete')]),
    ({ table }) =>
      table.forget(async (snapshot) => {
        return forgottenIn(snapshot, table, () => ['0x02']);
      }),
  );
  expect(left).toEqual(['0-99', '']);
});

test('a changed file is named where DuckDB only says that its bytes end too early', async () => {
  await small.land(LIST.transactionsByHash, { keys: ['0x02'] });
  const { empty } = small.lake.table('transactions');
  const [path = ''] = empty?.stored.paths(await empty.stored.snapshot()) ?? [];
  const bytes = await readFile(path);
  bytes[40] = (bytes[40] ?? 0) ^ 4;
  await writeFile(path, bytes);
  const error = new Error('Invalid Error: Out of buffer');
  expect(await damageBehind(error, small.root, localDisk)).toMatchObject({ where: path });
});
