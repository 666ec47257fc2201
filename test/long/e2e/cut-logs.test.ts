import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import type { CoverageEntry } from '../../../src/coverage/coverage.ts';
import { type Lake, openLake } from '../../../src/land/lake.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { verifyLake } from '../../../src/land/verify/verify-lake.ts';
import { query } from '../../../src/load/query/query.ts';
import { publishWarehouse } from '../../../src/load/warehouse.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import type { Repair } from '../../../src/run/repair.ts';
import { type Ended, windrow } from '../../e2e/command-line.ts';
import { digestsOf } from '../../e2e/harness.ts';
import {
  askingFor,
  type ExportedLake,
  exportedLake,
  MANY_COMMITS,
  repairLake,
} from '../../e2e/repairing.ts';
import { CHAINS } from '../../fixtures/chains.ts';
import { strangeFiles } from '../../fixtures/file-kinds.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { whenOver } from '../../fixtures/when-over.ts';
import { Chance } from '../../model/chance.ts';
import { flipBit, lakeFiles } from '../../model/corrupter.ts';

/**
 * Goal: where a damaged log has to be cut, everything that the pipeline asks is fetched again, and
 * nothing claims to be complete that was lost: neither the tables nor the macros of the warehouse.
 */

const chain = simulatedChain({ seed: 'cut', head: 150 });
const addresses = chain.addresses(4);
let lake: ExportedLake;

beforeAll(async () => {
  lake = await exportedLake(chainSource(chain), addresses, MANY_COMMITS);
});

const without =
  (dataset: string) =>
  (pipeline: Pipeline): Pipeline => ({
    ...pipeline,
    requests: pipeline.requests.filter((request) => request.dataset !== dataset),
  });

function repaired(
  root: string,
  change = (pipeline: Pipeline): Pipeline => pipeline,
  keys: readonly string[] = addresses,
): Promise<Repair> {
  const { url } = lake.served;
  return repairLake({ url, root, addresses: keys, text: MANY_COMMITS, change });
}

async function withLake<T>(root: string, use: (open: Lake) => Promise<T>): Promise<T> {
  const effects = quietEffects();
  const open = await openLake({ root, chains: CHAINS, run: 'look', effects, disk: localDisk });
  whenOver(() => open.close());
  return await use(open);
}

async function checkpoint(open: Lake, table: string): Promise<void> {
  const { stored } = open.table(table);
  await stored.snapshot();
  await stored.renewCheckpoint();
}

const coverageOf = (root: string, dataset: string): Promise<readonly CoverageEntry[]> =>
  withLake(root, async (open) => (await open.table(dataset).snapshot()).coverage.entries());

/** The height up to which the warehouse says that everything of an address is complete. */
const completeUntil = (root: string): Promise<unknown[]> =>
  withLake(root, async (open) => {
    await publishWarehouse({ lake: open, effects: quietEffects(), disk: localDisk });
    const heights: unknown[] = [];
    for (const address of addresses) {
      const { rows } = await query(
        open.layout.warehouse,
        `SELECT complete_until('${address}') AS height`,
      );
      heights.push(rows[0]?.['height'] ?? null);
    }
    return heights;
  });

const logOf = async (root: string, table: string): Promise<string[]> =>
  (await lakeFiles(root)).log.filter((path) => path.includes(`/${table}/`));

async function keptAside(root: string): Promise<string[]> {
  const names = await readdir(join(root, 'damaged'), { recursive: true }).catch(() => []);
  return names.map((name) => basename(name));
}

/** Whether every range of `before` is known afterwards: as it was, or as inconsistent. */
function expectNamed(before: readonly CoverageEntry[], after: readonly CoverageEntry[]): void {
  for (const { endpoint, variant, key, from, to, status } of before) {
    for (const height of [from, to]) {
      const now = after.find(
        (entry) =>
          entry.endpoint === endpoint &&
          entry.variant === variant &&
          entry.key === key &&
          entry.from <= height &&
          height <= entry.to,
      );
      expect([status, 'inconsistent'], `${endpoint} ${key} ${height}`).toContain(now?.status);
    }
  }
}

test('a log with more damage than one bit is cut, and its contents are fetched again', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  const log = await logOf(root, 'token_transfers');
  const broken = log[2] ?? '';
  await writeFile(broken, (await readFile(broken, 'utf8')).slice(0, -40));
  const done = await repaired(root);
  expect(done.cut).toEqual(['MAINCHAIN/token_transfers']);
  expect([done.after.damages, done.lost, done.short]).toEqual([[], [], 0]);
  expect(await digestsOf(root)).toEqual(before);
  const kept = await keptAside(root);
  expect(log.slice(2).every((path) => kept.includes(basename(path)))).toBe(true);
});

test('a log whose newest entry is gone is found by the coverage table, and made whole', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  const log = await logOf(root, 'transactions');
  await rm(log.at(-1) ?? '');
  const report = await verifyLake(root, localDisk);
  expect(report.damages.map(({ path }) => path)).toEqual([log.at(-1)]);
  const done = await repaired(root);
  expect([done.after.damages, done.lost]).toEqual([[], []]);
  expect(await digestsOf(root)).toEqual(before);
});

test('a log with damage before a checkpoint begins with that, and nothing is fetched', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  const coverage = await coverageOf(root, 'token_transfers');
  await withLake(root, (open) => checkpoint(open, 'token_transfers'));
  const log = await logOf(root, 'token_transfers');
  const entries = log.filter((path) => path.endsWith('.json'));
  const [broken = '', gone = ''] = entries;
  await writeFile(broken, 'nothing');
  await rm(gone);
  const done = await repaired(root);
  expect([done.cut, done.after.damages, done.lost, done.short]).toEqual([[], [], [], 0]);
  expect(await logOf(root, 'token_transfers')).toEqual(
    log.filter((path) => !entries.slice(0, -1).includes(path)),
  );
  expect(await coverageOf(root, 'token_transfers')).toEqual(coverage);
  expect(await digestsOf(root)).toEqual(before);
});

test('a log is cut behind its checkpoint, which it keeps', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  await withLake(root, async (open) => {
    await checkpoint(open, 'transactions');
    await open.table('transactions').reorganised(100);
    await open.table('transactions').reorganised(90);
  });
  expect(await strangeFiles(root)).toEqual([]);
  const entries = (await logOf(root, 'transactions')).filter((path) => path.endsWith('.json'));
  await writeFile(entries.at(-2) ?? '', 'nothing');
  await rm(entries[0] ?? '');
  const done = await repaired(root);
  expect(done.cut).toEqual(['MAINCHAIN/transactions']);
  expect([done.after.damages, done.lost]).toEqual([[], []]);
  expect(await digestsOf(root)).toEqual(before);
});

test.each(['checkpoint.parquet', 'windrow', 'json'])(
  'a log has whole checkpoints once damage of its newest one (%s) is repaired',
  async (ending) => {
    const root = await lake.copy();
    const before = await digestsOf(root);
    await withLake(root, async (open) => {
      await checkpoint(open, 'transactions');
      await open.table('transactions').reorganised(100);
      await checkpoint(open, 'transactions');
    });
    const newest = (await logOf(root, 'transactions')).at(-1) ?? '';
    await writeFile(newest.replace('json', ending), 'nothing');
    const done = await repaired(root);
    expect([done.after.damages, done.lost]).toEqual([[], []]);
    expect(await digestsOf(root)).toEqual(before);
  },
);

test('a copied log is cut at its beginning, also where that is a checkpoint', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  await withLake(root, (open) => checkpoint(open, 'transactions'));
  const folder = join(root, 'lake', 'MAINCHAIN');
  await rm(join(folder, 'token_transfers'), { recursive: true });
  await rename(join(folder, 'transactions'), join(folder, 'token_transfers'));
  const done = await repaired(root);
  expect(done.cut.toSorted()).toEqual(['MAINCHAIN/token_transfers', 'MAINCHAIN/transactions']);
  expect([done.after.damages, done.lost]).toEqual([[], []]);
  expect(await digestsOf(root)).toEqual(before);
});

test.each([
  ['the first entry', 0],
  ['an entry in the middle', 1],
])('%s is unreadable: coverage names all it held, and nothing calls it complete', async (_, at) => {
  const root = await lake.copy();
  const before = await coverageOf(root, 'internal_transactions');
  expect((await completeUntil(root)).every((height) => Number(height) > 0)).toBe(true);
  const log = await logOf(root, 'internal_transactions');
  await writeFile(log[at] ?? '', 'nothing');
  const done = await repaired(root, without('internal_transactions'));
  expect(done.cut).toEqual(['MAINCHAIN/internal_transactions']);
  expect(done.after.damages).toEqual([]);
  const after = await coverageOf(root, 'internal_transactions');
  expectNamed(before, after);
  const lost = new Set(after.filter(({ status }) => status !== 'complete').map(({ key }) => key));
  expect(lost.size).toBe(addresses.length - 2 * at);
  expect(new Set(done.lost.flatMap(({ keys }) => keys))).toEqual(lost);
  const heights = await completeUntil(root);
  expect(addresses.filter((_address, i) => heights[i] === null)).toEqual(
    addresses.filter((address) => lost.has(address)),
  );
});

test('without a coverage table, all of the table is fetched again, and other keys are lost', async () => {
  const root = await lake.copy();
  await rm(join(root, 'lake', 'MAINCHAIN', 'coverage'), { recursive: true });
  const log = await logOf(root, 'internal_transactions');
  await writeFile(log[0] ?? '', 'nothing');
  for (const path of log.slice(1)) await rm(path);
  const [one = '', ...others] = addresses;
  const done = await repaired(root, undefined, [one]);
  expect(done.after.damages).toEqual([]);
  expect(new Set(done.lost.flatMap(({ keys }) => keys))).toEqual(new Set(others));
  const [height, ...rest] = await completeUntil(root);
  expect(Number(height)).toBeGreaterThan(0);
  expect(rest).toEqual(others.map(() => null));
});

test('a log is not cut where nothing tells which lists it held', async () => {
  const root = await lake.copy();
  await rm(join(root, 'lake', 'MAINCHAIN', 'coverage'), { recursive: true });
  const log = await logOf(root, 'internal_transactions');
  for (const path of log) await writeFile(path, 'nothing');
  await expect(repaired(root, without('internal_transactions'))).rejects.toMatchObject({
    kind: 'lake',
    where: join(root, 'lake', 'MAINCHAIN', 'internal_transactions'),
    advice: expect.stringContaining('Repair with a pipeline that requests this table') as string,
  });
  expect(await logOf(root, 'internal_transactions')).toEqual(log);
  expect(await keptAside(root)).toEqual([]);
});

test('a run with other addresses and blocks is repaired with the same ones', async () => {
  const folder = join(await lake.copy(), '..');
  const pipeline = join(folder, 'one.yaml');
  const csv = join(folder, 'all.csv');
  const [one = '', ...others] = addresses;
  await writeFile(pipeline, askingFor([one], MANY_COMMITS));
  await writeFile(csv, `address\n${addresses.join('\n')}\n`);
  const repair = async (more: readonly string[]): Promise<Ended> => {
    const root = await lake.copy();
    await writeFile((await logOf(root, 'transactions'))[0] ?? '', 'nothing');
    const args = ['verify', pipeline, '--repair', '--data', root, '--source-url', lake.served.url];
    return windrow([...args, ...more]);
  };
  const alone = await repair([]);
  expect(alone.code, alone.stderr).toBe(3);
  const [list] =
    /^ {2}mainchain.*$/m.exec(alone.stdout.split('Not fetched again, because')[1] ?? '') ?? [];
  expect(list).toMatch(
    /normal-transaction-list-multi, blocks 0 to \d+.*, 3 keys: 0x\w+, 0x\w+, 0x/,
  );
  for (const address of others) expect(list).toContain(address);
  const whole = await repair(['--addresses', csv]);
  expect(whole.code, whole.stderr).toBe(0);
  expect(whole.stdout).toContain('Everything was restored or fetched again.');
  const part = await repair(['--addresses', csv, '--blocks', '0:99']);
  expect(part.code, part.stderr).toBe(3);
  expect(part.stdout).toMatch(/Not fetched again, because .*:\n.*, blocks 100 to \d+, 4 keys: /);
});

test('a log that a repair has cut is verified and repaired like any other', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  const first = await logOf(root, 'transactions');
  await writeFile(first[1] ?? '', 'nothing');
  expect((await repaired(root)).lost).toEqual([]);
  const log = await logOf(root, 'transactions');
  for (const path of log.slice(1)) {
    const { undo } = await flipBit(path, new Chance(11));
    const { damages } = await verifyLake(root, localDisk);
    expect(damages.map((damage) => damage.path)).toContain(path);
    await undo();
  }
  await writeFile(log[2] ?? '', 'nothing');
  await flipBit(log.at(-1) ?? '', new Chance(12));
  const again = await repaired(root);
  expect([again.after.damages, again.lost, again.short]).toEqual([[], [], 0]);
  expect(await digestsOf(root)).toEqual(before);
  expect(await completeUntil(root)).toEqual(await completeUntil(await lake.copy()));
});
