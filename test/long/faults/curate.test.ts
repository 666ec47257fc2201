import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { curate } from '../../../src/curate/curate.ts';
import type { Lake } from '../../../src/land/lake.ts';
import type { Disk } from '../../../src/land/storage/disk.ts';
import {
  crossing,
  hashOfBlock,
  LIST,
  SmallLake,
  TOKEN_20,
  transaction,
  transfer,
} from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { IS_EXHAUSTIVE } from '../../fixtures/thorough.ts';
import { freshFolder, whenOver } from '../../fixtures/when-over.ts';
import { CuratedHistory, FAST_DISK, openTestLake } from '../../model/curate/history.ts';
import { exactDifferences, TableReader } from '../../model/curate/tables.ts';
import { breakages, type Operation, recordingDisk } from '../../model/power-cut.ts';

/**
 * Goal: wherever curating is stopped, and whoever else curates at the same time, readers see whole
 * versions of every table, and the next call ends with the tables of an undisturbed one.
 */

const SEED = Number(process.env['SEED'] ?? 41);
const WORLDS = 2;
/** Steps of a run at which it is stopped; the thorough mode takes all of them. */
const POINTS = IS_EXHAUSTIVE ? Number.POSITIVE_INFINITY : 10;

type Tables = Awaited<ReturnType<TableReader['curated']>>;

let folder = '';
let reader: TableReader;
/** A lake whose curated tables are older than its raw ones. */
let before = '';
let old: Tables;
let settled: Tables;
let steps: string[] = [];
let copies = 0;

beforeAll(async () => {
  folder = await freshFolder();
  reader = await TableReader.open();
  whenOver(() => reader.close());
  before = join(folder, 'before');
  const history = await CuratedHistory.open(before, { seed: SEED, worlds: WORLDS });
  await history.play();
  await history.play();
  await history.curate();
  old = await reader.curated(history.lake);
  await history.play();
  history.close();
  const root = await copy();
  steps = await stepsOf(root);
  settled = await tablesOf(root);
});

async function copy(): Promise<string> {
  copies += 1;
  const root = join(folder, `copy-${copies}`);
  await cp(before, root, { recursive: true });
  return root;
}

async function stepsOf(root: string): Promise<string[]> {
  const reached: string[] = [];
  const lake = await openTestLake(root, FAST_DISK, { reached: (step) => reached.push(step) });
  await curateLake(lake, FAST_DISK);
  lake.close();
  return reached;
}

async function curateLake(lake: Lake, disk: Disk): Promise<number> {
  const limits = { chunkRows: 1_000_000, gapRows: -1 };
  const { commits } = await curate({ lake, effects: quietEffects(), disk, limits });
  return commits.length;
}

async function tablesOf(root: string): Promise<Tables> {
  const lake = await openTestLake(root, FAST_DISK);
  whenOver(() => lake.close());
  return await reader.curated(lake);
}

function expectEqual(actual: Tables, expected: Tables, context: string): void {
  for (const [table, rows] of expected) {
    const differences = exactDifferences(table, actual.get(table) ?? [], rows);
    expect(differences.slice(0, 3), context).toEqual([]);
  }
}

/** Every table has its old or its new version. */
function expectWhole(actual: Tables, context: string): void {
  for (const [table, rows] of actual) {
    const [fromOld, fromNew] = [old, settled].map(
      (version) => exactDifferences(table, rows, version.get(table) ?? []).length,
    );
    expect(Math.min(fromOld ?? 1, fromNew ?? 1), `${table} ${context}`).toBe(0);
  }
}

/** Curates again with a new process's eyes. */
async function finish(root: string): Promise<Tables> {
  const lake = await openTestLake(root, FAST_DISK);
  whenOver(() => lake.close());
  await curateLake(lake, FAST_DISK);
  expect(await curateLake(lake, FAST_DISK)).toBe(0);
  return await reader.curated(lake);
}

/** A disk that refuses everything once its process is dead. */
function mortalDisk(isDead: () => boolean): Disk {
  const killed = new Error('killed');
  const alive =
    <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (isDead()) throw killed;
      return run(...args);
    };
  return {
    ...FAST_DISK,
    makeFolder: alive((path) => FAST_DISK.makeFolder(path)),
    write: alive(FAST_DISK.write),
    rename: alive(FAST_DISK.rename),
    linkIfAbsent: alive(FAST_DISK.linkIfAbsent),
    remove: alive(FAST_DISK.remove),
  };
}

test('a run that is killed at any step leaves whole tables, and the next one ends it', async () => {
  expect(steps.length).toBeGreaterThan(60);
  const stride = Math.max(1, steps.length / POINTS);
  const points: number[] = [];
  // From a moving start, so that all kinds of steps are among few points.
  for (let at = 1 + (SEED % stride); at <= steps.length; at += stride) points.push(Math.floor(at));
  for (const point of points) {
    const root = await copy();
    let count = 0;
    const lake = await openTestLake(
      root,
      mortalDisk(() => count >= point),
      {
        reached: () => {
          count += 1;
          if (count >= point) throw new Error('killed');
        },
      },
    );
    const context = `SEED=${SEED}, killed at step ${point}: ${steps[point - 1]}`;
    await expect(curateLake(lake, FAST_DISK), context).rejects.toThrow('killed');
    lake.close();
    expectWhole(await tablesOf(root), context);
    expectEqual(await finish(root), settled, context);
    await rm(root, { recursive: true, force: true });
  }
  process.stdout.write(
    `curate: seed ${SEED}, killed at ${points.length} of ${steps.length} steps\n`,
  );
});

test('a standard that other transfers gave is forgotten by all tables, or by none', async () => {
  const without = { ...contractRecord('10'), protocolType: '' };
  for (let published = 1; published <= 6; published += 1) {
    const small = await SmallLake.open();
    await small.land(LIST.transactions, { keys: ['0xa'] });
    await small.land(LIST.tokensOfContract, { keys: ['0x70'], to: 19, records: [without] });
    const other = transfer({ height: '30', from: '0xe', to: '0xf' });
    await small.land(LIST.tokens, { keys: ['0xe'], params: TOKEN_20, from: 20, records: [other] });
    await curateLake(small.lake, FAST_DISK);
    await small.land(LIST.tokens, { keys: ['0xe'], params: TOKEN_20, from: 20 });
    let count = 0;
    const lake = await openTestLake(
      small.root,
      mortalDisk(() => count >= published),
      {
        reached: (step) => {
          if (step !== 'log entry published') return;
          count += 1;
          if (count >= published) throw new Error('killed');
        },
      },
    );
    await expect(curateLake(lake, FAST_DISK)).rejects.toThrow('killed');
    lake.close();
    const ended = await finish(small.root);
    await rm(join(small.root, 'curated'), { recursive: true });
    expectEqual(ended, await finish(small.root), `killed after ${published} tables`);
    await small.close();
  }
});

function contractRecord(height: string) {
  return {
    txid: '0x01',
    blockHash: hashOfBlock(height),
    height,
    transactionTime: '1700000000123',
    from: '0xa',
    to: '0xb',
    isFromContract: false,
    isToContract: false,
    amount: '1',
    transactionSymbol: 'TOK',
    methodId: '',
    tokenContractAddress: '0x70',
    state: 'success',
    tokenId: '',
  };
}

test('no power cut loses a version, or what it refers to', async () => {
  const root = join(folder, 'power');
  const operations: Operation[] = [];
  const disk = recordingDisk(operations);
  const history = await CuratedHistory.open(root, { seed: SEED, worlds: 3 }, disk);
  await history.play();
  await history.curate();
  await history.play();
  await history.curate();
  history.close();
  const curated = operations.filter(({ do: kind, ...rest }) => {
    return kind === 'link' && 'to' in rest && rest.to.includes('/curated/');
  });
  expect(curated.length).toBeGreaterThan(11);
  expect(breakages(operations, folder)).toEqual([]);
});

describe('two processes that curate one lake', () => {
  test('at the same time leave the tables that one of them would', async () => {
    const root = await copy();
    const lakes = [await openTestLake(root, FAST_DISK), await openTestLake(root, FAST_DISK)];
    await Promise.all(lakes.map((lake) => curateLake(lake, FAST_DISK)));
    for (const lake of lakes) lake.close();
    expectEqual(await finish(root), settled, `SEED=${SEED}`);
  });

  test('and one that lands transactions between the chains, leaves no journey behind', async () => {
    const small = await SmallLake.open();
    await small.land(LIST.transactions, { keys: ['0xc'] });
    await small.land(LIST.crossChain, { keys: [''], records: [crossing()] });
    let isDone = false;
    const disk: Disk = {
      ...FAST_DISK,
      linkIfAbsent: async (from, to) => {
        const isOurs = await FAST_DISK.linkIfAbsent(from, to);
        if (isDone || !to.includes('/curated/')) return isOurs;
        isDone = true;
        await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
        return isOurs;
      },
    };
    const slow = await openTestLake(small.root, disk);
    await curateLake(slow, disk);
    slow.close();
    const ended = await finish(small.root);
    expect(ended.get('cross_chain_journeys')?.[0]).toMatchObject({ main_leg_found: 'true' });
    await rm(join(small.root, 'curated'), { recursive: true });
    expectEqual(ended, await finish(small.root), 'landed between the chains');
    await small.close();
  });

  /** Each costs three runs. */
  const points = IS_EXHAUSTIVE ? 40 : 5;

  test('and one that lands rows while the other one curates, lose nothing', async () => {
    let operations = 0;
    const counting = pausingDisk(() => {
      operations += 1;
      return Promise.resolve();
    });
    const lake = await openTestLake(await copy(), counting);
    await curateLake(lake, counting);
    lake.close();

    for (let i = 0; i < points; i += 1) {
      const root = await copy();
      const pauseAt = 1 + Math.floor(((i + 0.5) * operations) / points);
      const isCurating = i % 3 !== 0;
      let count = 0;
      const disk = pausingDisk(async () => {
        count += 1;
        if (count !== pauseAt) return;
        const other = await CuratedHistory.open(root, { seed: SEED + 1 + i, worlds: WORLDS });
        await other.play();
        if (isCurating) await other.curate();
        other.close();
      });
      const slow = await openTestLake(root, disk);
      await curateLake(slow, disk);
      slow.close();
      const ended = await finish(root);
      await rm(join(root, 'curated'), { recursive: true });
      expectEqual(ended, await finish(root), `SEED=${SEED}, paused at ${pauseAt}`);
      await rm(root, { recursive: true, force: true });
    }
  });
});

/** A disk that waits for something before each operation that changes it or lists a folder. */
function pausingDisk(wait: () => Promise<void>): Disk {
  const after =
    <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await wait();
      return run(...args);
    };
  return {
    ...FAST_DISK,
    list: after(FAST_DISK.list),
    write: after(FAST_DISK.write),
    rename: after(FAST_DISK.rename),
    linkIfAbsent: after(FAST_DISK.linkIfAbsent),
  };
}
