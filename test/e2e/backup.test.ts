import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { windrow } from './command-line.ts';
import { exportLake, serve, temporaryRoot } from './harness.ts';

/** Goal: the instructions of docs/operating.md for backups, moves and restores lose nothing. */

const chain = simulatedChain({ seed: 'backup', head: 300 });
const COUNTS = `SELECT (SELECT count(*) FROM transactions) AS transactions,
  (SELECT count(*) FROM address_activity) AS legs, (SELECT count(*) FROM coverage) AS coverage`;
const cleanups: (() => Promise<void>)[] = [];
let folder = '';
let data = '';

beforeAll(async () => {
  const temporary = await temporaryRoot();
  const served = await serve(chainSource(chain));
  cleanups.push(served.close, temporary.remove);
  folder = temporary.root;
  data = join(folder, 'data');
  await exportLake({ url: served.url, root: data, addresses: chain.addresses(3) });
});
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

async function counts(root: string): Promise<unknown> {
  const { code, stdout, stderr } = await windrow(['query', COUNTS, '--data', root, '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

test('a copy of the lake folder alone restores the data root', async () => {
  const before = await counts(data);
  await cp(join(data, 'lake'), join(folder, 'backup/lake'), { recursive: true });
  await rm(data, { recursive: true });
  await cp(join(folder, 'backup/lake'), join(data, 'lake'), { recursive: true });
  const verified = await windrow(['verify', '--data', data]);
  expect(verified.code, verified.stdout).toBe(0);
  expect((await windrow(['load', '--data', data])).code).toBe(0);
  expect(await counts(data)).toEqual(before);
});
