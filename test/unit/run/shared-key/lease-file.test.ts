import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaseFile } from '../../../../src/run/shared-key/lease-file.ts';
import type { Lease } from '../../../../src/run/shared-key/shares.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windrow-leases-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const LEASE: Lease = {
  id: 'a',
  sinceMs: 1,
  renewedMs: 2,
  priority: 5,
  wanted: 1,
  share: 0.5,
  ceilingAtMs: 3,
  ratePerSecond: 10,
  ceilingPerSecond: null,
  isProbing: false,
  blockedUntilMs: Number.NEGATIVE_INFINITY,
};
const effects = quietEffects({ sleep: () => new Promise((resolve) => setImmediate(resolve)) });
const FILE = (): string => join(folder, 'leases.json');

async function kept(): Promise<readonly Lease[]> {
  let found: readonly Lease[] = [];
  await leaseFile(folder, effects).update((leases) => {
    found = leases;
    return leases;
  });
  return found;
}

it('leases are the same for all processes, and updates at once lose none', async () => {
  const stores = Array.from({ length: 8 }, () => leaseFile(folder, effects));
  await Promise.all(
    stores.map((store, at) => store.update((leases) => [...leases, { ...LEASE, id: `${at}` }])),
  );
  const found = await kept();
  expect(found.map(({ id }) => id).sort()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  expect(found[0]).toMatchObject({ blockedUntilMs: Number.NEGATIVE_INFINITY, share: 0.5 });
});

it('a damaged file has no leases, and is replaced', async () => {
  for (const text of ['', '{', '[{"id":1}]', 'null']) {
    await writeFile(FILE(), text);
    expect(await kept()).toEqual([]);
    await leaseFile(folder, effects).update(() => [LEASE]);
    expect(await kept()).toEqual([LEASE]);
  }
});

it('the lease of a process that has ended is gone, with the lock that it held', async () => {
  await leaseFile(folder, effects).update(() => [LEASE]);
  const dead = { pid: 2 ** 22, host: hostname(), started: '1', since: '2026-01-01T00:00:00.000Z' };
  const [stored] = JSON.parse(await readFile(FILE(), 'utf8')) as object[];
  await writeFile(FILE(), JSON.stringify([{ ...stored, holder: dead }]));
  await writeFile(join(folder, 'leases.lock'), JSON.stringify(dead));
  expect(await kept()).toEqual([]);
});
