import { readdir, readFile, rm, truncate } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import type { Source } from '../../service/src/protocol/source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { openLake } from '../../src/land/lake.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { keptIn } from '../../src/run/lake/kept-records.ts';
import type { Repair } from '../../src/run/repair.ts';
import { systemEffects } from '../../src/system.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { Chance } from '../model/chance.ts';
import { flipBit, lakeFiles } from '../model/corrupter.ts';
import { windrow } from './command-line.ts';
import { activeFiles, addressesAsked, digestsOf, exportLake } from './harness.ts';
import { type ExportedLake, exportedLake, MANY_COMMITS, repairLake } from './repairing.ts';

/**
 * Goal: a repair fetches what was in damaged files again, that and nothing else, and the lake is
 * then what it was, row for row; damaged files are kept.
 */

const chain = simulatedChain({ seed: 'verify', head: 250 });
const addresses = chain.addresses(4);
const text = MANY_COMMITS.concat(
  '  native_holders:\n    - { endpoint: mainchain/address/native-token-position-list }\n',
);
let lake: ExportedLake;

/** Serves some internal records whose parties are no addresses. */
function oddSource(): Source {
  const source = chainSource(chain);
  return {
    ...source,
    head: (axis) => source.head(axis),
    find: async (query) => {
      const page = await source.find(query);
      if (query.dataset !== 'internal_transactions') return page;
      const records = page.records.map((record) => {
        const isOdd = /^1\d\d$/.test(String(record['block_number']));
        return isOdd ? { ...record, from_address: 'nobody', to_address: 'nobody' } : record;
      });
      return { ...page, records };
    },
  };
}

beforeAll(async () => {
  lake = await exportedLake(oddSource(), addresses, text);
});

const repaired = (root: string, change?: (pipeline: Pipeline) => Pipeline): Promise<Repair> =>
  repairLake({
    url: lake.served.url,
    root,
    addresses,
    text,
    ...(change === undefined ? {} : { change }),
  });

/** The statuses of all that is covered, by dataset. */
async function statuses(root: string): Promise<string[]> {
  const effects = systemEffects('warn');
  const lake = await openLake({ root, chains: CHAINS, run: 'test', effects, disk: localDisk });
  const states = new Set<string>();
  for (const table of await lake.tables()) {
    const { coverage } = await table.snapshot();
    for (const { status } of coverage.entries()) states.add(`${table.dataset.name} ${status}`);
  }
  lake.close();
  return [...states].sort();
}

async function keptAside(root: string): Promise<string[]> {
  const names = await readdir(join(root, 'damaged'), { recursive: true }).catch(() => []);
  return names.filter((name) => /\.(parquet|json)$/.test(name)).map((name) => basename(name));
}

/** The records in quarantine, and whether the next run fetches their slices again. */
async function kept(root: string): Promise<string[]> {
  return (await keptIn(root, systemEffects('warn')))
    .map(({ record, isWaiting }) => `${record.raw} ${isWaiting}`)
    .sort();
}

const answers = (targets: readonly string[]): string[] =>
  targets.filter((target) => target.includes('/address/'));

test('a changed data file is repaired by fetching its list at its heights again', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  const [file = ''] = await activeFiles(root, 'transactions');
  await flipBit(file, new Chance(1));
  const done = await repaired(root);
  expect(done.before.damages.map(({ path }) => path)).toEqual([file]);
  expect(done.before.damages[0]?.rows).toBeGreaterThan(0);
  const regions = done.before.damages[0]?.regions ?? [];
  expect(regions.length).toBeGreaterThan(0);
  const keys = new Set(regions.flatMap((region) => region.keys));
  expect([...addressesAsked(lake.served.targets)].sort()).toEqual([...keys].sort());
  expect(answers(lake.served.targets).every((target) => target.includes('normal-'))).toBe(true);
  expect([done.after.damages, done.lost, done.failed, done.short]).toEqual([[], [], [], 0]);
  expect(await digestsOf(root)).toEqual(before);
  expect(await keptAside(root)).toEqual([basename(file)]);
  // A run would have nothing to fetch.
  expect(await statuses(root)).toEqual(await statuses(lake.original));
});

test('a missing and a cut data file are repaired together', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  const [gone = ''] = await activeFiles(root, 'token_transfers');
  const cut = (await activeFiles(root, 'internal_transactions')).at(-1) ?? '';
  await rm(gone);
  await truncate(cut, 100);
  const done = await repaired(root);
  expect(done.before.damages.map(({ finding }) => finding).sort()).toEqual([
    expect.stringMatching(/^The data file has 100 bytes instead of \d+\.$/),
    'The data file is missing.',
  ]);
  expect(done.after.damages).toEqual([]);
  expect(await digestsOf(root)).toEqual(before);
});

test('a changed bit in a log entry is mended without a request', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  const { log } = await lakeFiles(root);
  const [first = ''] = log.filter((path) => path.includes('/transactions/'));
  const text_ = await readFile(first);
  await flipBit(first, new Chance(5));
  const done = await repaired(root);
  expect(done.mended).toEqual([first]);
  expect([done.cut, done.after.damages, lake.served.targets]).toEqual([[], [], []]);
  expect(await readFile(first)).toEqual(text_);
  expect(await digestsOf(root)).toEqual(before);
  expect(await keptAside(root)).toContain(basename(first));
});

test('a ranking of a past block is named as lost, and everything else is repaired', async () => {
  const root = await lake.copy();
  const { native_holders: holders, ...others } = await digestsOf(root);
  expect(holders).toBeDefined();
  const [ranking = ''] = await activeFiles(root, 'native_holders');
  const [file = ''] = await activeFiles(root, 'transactions');
  for (const path of [ranking, file]) await flipBit(path, new Chance(6));
  const done = await repaired(root);
  expect(done.lost).toMatchObject([
    {
      endpoint: 'mainchain/address/native-token-position-list',
      reason: expect.stringContaining('no service reports') as string,
    },
  ]);
  expect(done.after.damages).toEqual([]);
  expect(await digestsOf(root)).toMatchObject(others);
  expect(await statuses(root)).toContain('native_holders inconsistent');
  expect(await keptAside(root)).toContain(basename(ranking));
});

test('the run after a repair finds the records in a damaged table of quarantine again', async () => {
  const root = await lake.copy();
  const before = await kept(root);
  expect(before.length).toBeGreaterThan(0);
  const [file = ''] = await activeFiles(root, 'quarantine');
  await flipBit(file, new Chance(8));
  const done = await repaired(root);
  expect([done.after.damages, done.lost]).toEqual([[], []]);
  await exportLake({ url: lake.served.url, root, addresses, text });
  const waiting = (await kept(root)).filter((text) => text.endsWith(' true'));
  expect(waiting).toEqual(before);
  expect(answers(lake.served.targets).every((target) => target.includes('internal-'))).toBe(true);
});

test('a damaged table of coverage is made again from the logs', async () => {
  const root = await lake.copy();
  const before = await digestsOf(root);
  const [file = ''] = await activeFiles(root, 'coverage');
  await flipBit(file, new Chance(2));
  const done = await repaired(root);
  expect(done.before.damages.map(({ path }) => path)).toEqual([file]);
  expect([done.after.damages, lake.served.targets]).toEqual([[], []]);
  expect(await digestsOf(root)).toEqual(before);
});

test('keys that another pipeline landed are named, and stay unproven', async () => {
  const root = await lake.copy();
  const [file = ''] = await activeFiles(root, 'token_transfers');
  await flipBit(file, new Chance(3));
  const done = await repaired(root, (pipeline) => ({
    ...pipeline,
    requests: pipeline.requests.filter(({ dataset }) => dataset !== 'token_transfers'),
  }));
  expect(done.lost.map(({ reason }) => reason)).toContain('the pipeline does not ask this list');
  expect(done.after.damages).toEqual([]);
  // A run of the other pipeline fetches what is not complete.
  expect(await statuses(root)).toContain('token_transfers inconsistent');
});

test.each(['run', 'follow'])(
  'a %s that meets a lost file names it, and the repair',
  async (verb) => {
    const root = await lake.copy();
    const source = ['--source-url', lake.served.url];
    const options = [lake.pipeline, '--data', root, ...source];
    expect((await windrow(['load', '--data', root])).code).toBe(0);
    const [file = ''] = await activeFiles(root, 'transactions');
    await rm(file);
    if (verb === 'follow') {
      // Curating reads all files again.
      await rm(join(root, 'curated'), { recursive: true });
    }
    const { code, stderr } = await windrow([verb, ...options]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${file}: A data file is damaged`)]);
    expect(stderr).toContain(`windrow verify ${lake.pipeline} --repair`);
    const shown = await windrow(['status', '--data', root]);
    expect(shown.stdout).toMatch(/ended with exit code 1.*: A data file is damaged/);
  },
);
