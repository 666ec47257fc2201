import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type Disk, localDisk } from '../../src/land/storage/disk.ts';
import { contentDigest } from '../fixtures/content-digest.ts';
import { landing, ODD, QuarantineLake, transaction } from '../fixtures/quarantine-setup.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { IS_EXHAUSTIVE } from '../fixtures/thorough.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { dyingDisk } from '../model/dying-disk.ts';
import { breakages, type Operation, recordingDisk } from '../model/power-cut.ts';

/**
 * Goal: a slice that says that records are in quarantine is never without them, and a run that
 * dies anywhere loses or doubles no record.
 */

const LANDING = landing([transaction(1), transaction(2, { height: ODD })]);
const killed = new Error('killed');
/** Operations from one death to the next one that is played. */
const STRIDE = IS_EXHAUSTIVE ? 1 : 6;

let root = '';
let operations: Operation[] = [];
beforeEach(async () => {
  root = await freshFolder();
  operations = [];
});

/** What the lake holds, as anybody sees it who opens it now. */
async function seen(folder: string) {
  const lake = await QuarantineLake.open(localDisk, quietEffects(), folder);
  try {
    return await lake.use('reader', async (open) => {
      const table = open.table('transactions');
      const { coverage, version } = await table.snapshot();
      return {
        walks: (await open.quarantineOf('transactions').records()).map(({ walk }) => walk),
        said: coverage.entries().map(({ reason }) => reason),
        statuses: coverage.entries().map(({ status }) => status),
        rows: version < 0 ? 0 : (await contentDigest(table)).rows,
      };
    });
  } finally {
    await lake.close();
  }
}

async function land(folder: string, name: string, disk: Disk = localDisk): Promise<boolean> {
  return dies(folder, disk, (lake) => lake.run(name, LANDING));
}

/** Whether it was killed on the way. */
async function dies(
  folder: string,
  disk: Disk,
  work: (lake: QuarantineLake) => Promise<void>,
): Promise<boolean> {
  const lake = await QuarantineLake.open(disk, quietEffects(), folder);
  try {
    await work(lake);
    return false;
  } catch (error) {
    if (error !== killed) throw error;
    return true;
  } finally {
    await lake.close();
  }
}

test('records are safe from a power cut before their slice is published', async () => {
  const disk = recordingDisk(operations);
  const logOf = (table: string): string => join(root, 'lake', 'MAINCHAIN', table, '_delta_log');
  const first = '00000000000000000000.json';
  const telling: Disk = {
    ...disk,
    async linkIfAbsent(from, to) {
      if (to === join(logOf('transactions'), first)) {
        operations.push({ do: 'tell', entry: join(logOf('quarantine'), first) });
      }
      return disk.linkIfAbsent(from, to);
    },
  };
  expect(await land(root, 'one', telling)).toBe(false);
  expect(operations.filter((operation) => operation.do === 'tell')).toHaveLength(1);
  expect(operations.filter((operation) => operation.do === 'link')).toHaveLength(2);
  expect(breakages(operations, root)).toEqual([]);
});

test('a run that is killed anywhere leaves no slice without its records', async () => {
  const states = new Set<string>();
  for (let kill = 1; ; kill += STRIDE) {
    const folder = join(root, `${kill}`);
    const isKilled = await land(folder, 'one', dyingDisk(localDisk, kill, killed));
    const { walks, said } = await seen(folder);
    for (const reason of said) expect(reason, `killed at ${kill}`).toContain(`(walk ${walks[0]})`);
    states.add(`${walks.length} kept, ${said.length} landed`);
    if (!isKilled) break;
    expect(await land(folder, 'two')).toBe(false);
    const again = await seen(folder);
    expect(again, `killed at ${kill}`).toMatchObject({ rows: 1, statuses: ['inconsistent'] });
    expect(again.walks).toHaveLength(1);
    expect(again.said[0]).toContain(`(walk ${again.walks[0]})`);
  }
  expect(states).toEqual(new Set(['0 kept, 0 landed', '1 kept, 0 landed', '1 kept, 1 landed']));
});
