import { cp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Fault } from '../../../src/fault.ts';
import { markRoot } from '../../../src/land/data-root.ts';
import type { Lake } from '../../../src/land/lake.ts';
import type { Disk } from '../../../src/land/storage/disk.ts';
import { verifyLake } from '../../../src/land/verify/verify-lake.ts';
import { MAINTENANCE_RULES } from '../../../src/pipeline/maintenance.ts';
import { executeDeletes, executeMerges } from '../../../src/run/maintain/execute.ts';
import { executeForget } from '../../../src/run/maintain/forget.ts';
import { planForget } from '../../../src/run/maintain/forget-plan.ts';
import { planMaintenance } from '../../../src/run/maintain/maintain.ts';
import { windrowProcess } from '../../e2e/command-line.ts';
import { contentDigest } from '../../fixtures/content-digest.ts';
import { internal, LIST, SmallLake, transaction } from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { IS_EXHAUSTIVE, IS_THOROUGH } from '../../fixtures/thorough.ts';
import { freshFolder, whenOver } from '../../fixtures/when-over.ts';
import { FAST_DISK, openTestLake } from '../../model/curate/history.ts';
import { dyingDisk } from '../../model/dying-disk.ts';
import { breakages, type Operation, recordingDisk } from '../../model/power-cut.ts';
import { watchedDisk } from '../../model/watched-disk.ts';

/**
 * Goal: wherever maintenance or a forgetting is stopped, by a kill, a full disk or another writer,
 * the lake is whole, no row is lost or doubled, and the next one ends the work.
 */

/** Operations from one fault to the next one that is played. */
const STRIDE = IS_EXHAUSTIVE ? 1 : IS_THOROUGH ? 3 : 8;
/** Kills of real processes. */
const KILLS = IS_EXHAUSTIVE ? 24 : 3;
/** Later than the times of all files. */
const LATE = quietEffects({ now: () => 4_000_000_000_000 });
const [A, B, C, D, E] = ['a', 'b', 'c', 'd', 'e'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
  string,
];

let folder = '';
let template = '';
let copies = 0;

beforeAll(async () => {
  folder = await freshFolder();
  template = join(folder, 'template');
  const small = await SmallLake.open(template);
  await markRoot(template, '0.1.0', FAST_DISK);
  for (let height = 0; height < 5; height += 1) {
    const id = `0x${height}`;
    const record = transaction({ txId: id, height: `${height}`, to: height < 2 ? B : C });
    const at = { from: height, to: height, records: [record] };
    await small.land(LIST.transactions, { keys: [A], ...at });
    if (height < 2) await small.land(LIST.transactions, { keys: [B], ...at });
    await small.land(LIST.transactionsByHash, { keys: [id], records: [record] });
    const call = internal({ txId: id, height: `${height}`, from: A, to: D });
    await small.land(LIST.internal, { keys: [A], ...at, records: [call] });
  }
  // Its first file has been replaced, and a killed run has left a file.
  const again = transaction({ txId: '0x0', height: '0', to: B });
  await small.land(LIST.transactions, { keys: [A], from: 0, to: 0, records: [again] });
  const orphan = join(small.lake.table('transactions').stored.folder, 'orphan.parquet');
  await writeFile(orphan, '');
  await utimes(orphan, 0, 0);
  small.lake.close();
});

async function copy(): Promise<string> {
  copies += 1;
  const root = join(folder, `copy-${copies}`);
  await cp(template, root, { recursive: true });
  return root;
}

interface Work {
  readonly name: string;
  run(lake: Lake, disk: Disk): Promise<void>;
}

const MAINTAINING: Work = {
  name: 'maintenance',
  async run(lake, disk) {
    const rules = { ...MAINTENANCE_RULES, retainMs: 0 };
    const plans = await planMaintenance({ lake, effects: LATE, rules });
    await executeMerges(plans, { run: lake.run, isOver: () => false });
    await executeDeletes(plans, { disk, effects: LATE });
  },
};

const FORGETTING: Work = {
  name: 'a forgetting',
  async run(lake) {
    await executeForget({ lake, effects: LATE }, await planForget(lake, A));
  },
};

async function work({ run }: Work, root: string, disk = FAST_DISK): Promise<void> {
  const lake = await openTestLake(root, disk);
  whenOver(() => lake.close());
  await run(lake, disk);
}

/** Rows and coverage by table, as anybody sees them who opens the lake now. */
async function seen(root: string): Promise<Record<string, string>> {
  const lake = await openTestLake(root, FAST_DISK);
  whenOver(() => lake.close());
  const tables: Record<string, string> = {};
  for (const table of await lake.tables()) {
    const { coverage } = await table.snapshot();
    const digest = await contentDigest(table);
    tables[table.dataset.name] = JSON.stringify([digest, coverage.entries()]);
  }
  return tables;
}

async function filesOf(root: string): Promise<number> {
  const names = await readdir(join(root, 'lake', 'MAINCHAIN'), { recursive: true });
  return names.filter((name) => name.endsWith('.parquet') && !name.includes('_delta_log')).length;
}

/** The states that each table goes through when nothing disturbs the work. */
async function statesOf(task: Work): Promise<Record<string, string>[]> {
  const root = await copy();
  const states = [await seen(root)];
  const disk = watchedDisk(FAST_DISK, () => undefined);
  const lake = await openTestLake(root, {
    ...disk,
    async linkIfAbsent(from, to) {
      const isOurs = await disk.linkIfAbsent(from, to);
      states.push(await seen(root));
      return isOurs;
    },
  });
  await task.run(lake, disk);
  lake.close();
  return [...states, await seen(root)];
}

describe.each([MAINTAINING, FORGETTING])('$name', (task) => {
  let states: Record<string, string>[] = [];
  let settled: Record<string, string> = {};
  let files = 0;
  beforeAll(async () => {
    states = await statesOf(task);
    settled = states.at(-1) ?? {};
    const root = await copy();
    await work(task, root);
    files = await filesOf(root);
  });

  /** Every table is in a state that it has without a fault. */
  async function expectWhole(root: string, context: string): Promise<void> {
    for (const [table, state] of Object.entries(await seen(root))) {
      expect(
        states.map((entry) => entry[table]),
        `${table}, ${context}`,
      ).toContain(state);
    }
    expect((await verifyLake(root, FAST_DISK)).damages, context).toEqual([]);
  }

  async function expectEnds(root: string, context: string): Promise<void> {
    await work(task, root);
    expect(await seen(root), context).toEqual(settled);
    expect((await verifyLake(root, FAST_DISK)).damages, context).toEqual([]);
    if (task === MAINTAINING) expect(await filesOf(root), context).toBe(files);
    await rm(root, { recursive: true });
  }

  test('does its work', async () => {
    if (task === MAINTAINING) {
      expect(settled).toEqual(states[0]);
      expect(files).toBeLessThan((await filesOf(template)) / 2);
    } else {
      expect(settled).not.toEqual(states[0]);
      expect(settled['internal_transactions']).toContain('"rows":0');
    }
  });

  test('that is killed at any operation leaves whole tables, and the next one ends it', async () => {
    const killed = new Error('killed');
    let points = 0;
    for (let at = 1; ; at += STRIDE) {
      const root = await copy();
      const isKilled = await work(task, root, dyingDisk(FAST_DISK, at, killed)).then(
        () => false,
        (error: unknown) => error === killed,
      );
      if (!isKilled) break;
      points += 1;
      await expectWhole(root, `killed at operation ${at}`);
      await expectEnds(root, `killed at operation ${at}`);
    }
    process.stdout.write(`${task.name}: killed at ${points} points\n`);
    expect(points * STRIDE).toBeGreaterThan(20);
  });

  test('that meets a full disk at any operation leaves whole tables, and heals', async () => {
    let points = 0;
    for (let at = 1; ; at += STRIDE) {
      const root = await copy();
      let count = 0;
      const disk = watchedDisk(FAST_DISK, () => {
        count += 1;
        if (count === at) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      });
      const error = await work(task, root, disk).catch((reason: unknown) => reason);
      if (count < at) break;
      points += 1;
      // A fold that is not saved is no error.
      if (error !== undefined) expect(error, `operation ${at}`).toBeInstanceOf(Fault);
      await expectWhole(root, `full at operation ${at}`);
      await expectEnds(root, `full at operation ${at}`);
    }
    expect(points * STRIDE).toBeGreaterThan(20);
  });

  test('beside another writer loses and doubles nothing', async () => {
    const land = async (root: string): Promise<void> => {
      const other = await SmallLake.open(root);
      const record = transaction({ txId: '0x99', height: '99', from: B, to: E });
      const again = transaction({ txId: '0x0', height: '0', to: B });
      await other.land(LIST.transactions, { keys: [B], from: 90, to: 99, records: [record] });
      await other.land(LIST.transactions, { keys: [B], from: 0, to: 0, records: [again] });
      other.lake.close();
    };
    const alone = await copy();
    await land(alone);
    await work(task, alone);
    const expected = await seen(alone);
    for (let at = 1; ; at += STRIDE) {
      const root = await copy();
      let count = 0;
      const disk = watchedDisk(FAST_DISK, async () => {
        count += 1;
        if (count === at) await land(root);
      });
      await work(task, root, disk);
      if (count < at) break;
      expect(await seen(root), `beside a writer at operation ${at}`).toEqual(expected);
      expect((await verifyLake(root, FAST_DISK)).damages).toEqual([]);
      await rm(root, { recursive: true });
    }
  });

  test('whose process is killed is ended by the next one', async () => {
    const verb =
      task === MAINTAINING ? ['maintain', '--retain', '0d'] : ['forget', A, '--keep-look-ups'];
    const root = await copy();
    const run = (at: string, env: Record<string, string> = {}) =>
      windrowProcess([...verb, '--data', at], { env });
    const traced = await run(root, { WINDROW_TRACE_STEPS: '1' });
    expect(traced.code, traced.stderr).toBe(0);
    const steps = [...traced.stderr.matchAll(/^step \d+: /gm)].length;
    const whole = await seen(root);
    expect(steps).toBeGreaterThan(20);
    for (let i = 0; i < KILLS; i += 1) {
      const other = await copy();
      const at = 1 + Math.floor((i * steps) / KILLS);
      const killed = await run(other, { WINDROW_KILL_AT: `${at}` });
      expect(killed.code, `step ${at}`).toBeNull();
      const next = await run(other);
      expect(next.code, next.stderr).toBe(0);
      expect(await seen(other), `killed at step ${at}`).toEqual(whole);
    }
  });
});

test('no power cut loses a version, or what it refers to', async () => {
  for (const task of [MAINTAINING, FORGETTING]) {
    const operations: Operation[] = [];
    const root = join(folder, `power-${task.name.length}`);
    const small = await SmallLake.open(root);
    small.lake.close();
    const lake = await openTestLake(root, recordingDisk(operations));
    const writer = SmallLake.over(lake);
    for (let height = 0; height < 5; height += 1) {
      const record = transaction({ txId: `0x${height}`, height: `${height}`, to: C });
      await writer.land(LIST.transactions, {
        keys: [A],
        from: height,
        to: height,
        records: [record],
      });
    }
    // Deleted files are those of versions that no reader needs.
    await task.run(lake, { ...FAST_DISK, remove: () => Promise.resolve() });
    lake.close();
    expect(operations.filter((operation) => operation.do === 'link').length).toBeGreaterThan(5);
    expect(breakages(operations, folder)).toEqual([]);
  }
});
