import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Effects } from '../../../effects.ts';
import { Fault } from '../../../fault.ts';
import { checkRoot, losesCommits, racesWon } from '../../../land/data-root.ts';
import { chainsIn, withLake } from '../../../land/lake.ts';
import { isMounted } from '../../../land/places/mounts.ts';
import { REPAIR_ADVICE } from '../../../land/storage/damage.ts';
import { type Disk, localDisk } from '../../../land/storage/disk.ts';
import { nearest, systemFault, unwritable } from '../../../land/storage/disk-fault.ts';
import { layout } from '../../../land/storage/layout.ts';
import { damageOf } from '../../../run/lake/lake-status.ts';
import { hasLeftLock, runHolding, runText } from '../../../run/lake/lake-there.ts';
import { many } from '../../terminal/console.ts';
import { type Diagnosis, failure, failureOfFault, fine, warning } from './diagnosis.ts';

const MIB = 2 ** 20;
/** Less free space fails: a commit and the temporary files of curating do not fit. */
const LEAST_BYTES = 256 * MIB;
/** Less free space gives a warning. */
const FEW_BYTES = 2048 * MIB;

/** Writers that race for one name in an object store. */
const RACES = 32;

/** Whether the disk of the data root does all that a commit needs, and its free space. */
export async function checkDisk(root: string, disk = localDisk): Promise<Diagnosis> {
  const refusal = await unwritable(root);
  if (refusal !== undefined) return failureOfFault('disk', refusal);
  const folder = await nearest(root);
  try {
    await probeDisk(disk, folder);
  } catch (error) {
    return failureOfFault('disk', error);
  }
  const free = await disk.freeBytes(folder);
  const mib = Math.floor(free / MIB);
  const shown = mib < 1024 ? `${mib} MiB` : `${(mib / 1024).toFixed(1)} GiB`;
  const remedy = 'Free some space, or name a data root on another disk with --data DIR.';
  if (free < LEAST_BYTES) {
    return failure('disk', `Only ${shown} of the disk are free.`, remedy, 'lake');
  }
  if (free < FEW_BYTES) return warning('disk', `Only ${shown} of the disk are free.`, remedy);
  return fine('disk', `${shown} of the disk are free.`);
}

/** Whether the logs of all tables can be read, and their files have the sizes in the logs. */
export async function checkLake(root: string, effects: Effects): Promise<Diagnosis[]> {
  const run = await runHolding(root, effects);
  const held: Diagnosis[] = [];
  if (run !== undefined) held.push(fine('run', runText(run)));
  else if (await hasLeftLock(root)) {
    const remedy = 'The next run takes it, after a minute if this was on another machine.';
    held.push(warning('run', 'A run was killed here, and its lock is left.', remedy));
  }
  try {
    return [...held, await tablesOf(root, effects)];
  } catch (error) {
    return [...held, failureOfFault('lake', error)];
  }
}

async function tablesOf(root: string, effects: Effects): Promise<Diagnosis> {
  await checkRoot(layout(root), localDisk);
  if (isMounted(root)) {
    await localDisk.makeFolder(layout(root).state);
    if ((await racesWon(layout(root), localDisk, RACES, 'at once')) !== 1) throw losesCommits(root);
  }
  let tables = 0;
  let files = 0;
  const damaged: string[] = [];
  for (const chains of await chainsIn(root, localDisk)) {
    await withLake({ root, chains, run: 'doctor', effects }, async (lake) => {
      for (const table of await lake.storedTables()) {
        tables += 1;
        files += (await table.snapshot()).files.size;
      }
      damaged.push(...(await damageOf(lake)).map(({ path }) => path));
    });
  }
  if (tables === 0) return fine('lake', `${root} has no tables yet.`);
  const [first, ...others] = damaged;
  if (first === undefined) {
    return fine('lake', `${many(tables, 'table')} with ${many(files, 'file')}, none damaged.`);
  }
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return failure('lake', `Damaged: ${first}${more}.`, REPAIR_ADVICE, 'lake');
}

const BYTES = 'windrow tries a commit '.repeat(4096);

/**
 * Carries out each operation of a commit in a new folder below `root`, and removes the folder.
 * Throws Fault('lake') for an operation that fails, or that does something else.
 */
async function probeDisk(disk: Disk, root: string): Promise<void> {
  const folder = join(root, `.windrow-doctor-${randomUUID()}`);
  const staged = join(folder, 'staged');
  const file = join(folder, 'file');
  const entry = join(folder, 'entry');
  try {
    await disk.makeFolder(folder);
    for (let i = 0; i < 2; i += 1) {
      await disk.write(staged, BYTES);
      // The second time, the new name replaces a file.
      await disk.publish([staged, file]);
    }
    if (!(await disk.readBytes(file)).equals(Buffer.from(BYTES))) {
      throw unusable(root, 'does not return the bytes that were written');
    }
    if (!(await disk.linkIfAbsent(file, entry)) || (await disk.linkIfAbsent(file, entry))) {
      throw unusable(root, 'gives a name to two files');
    }
  } catch (error) {
    throw systemFault(error, root);
  } finally {
    await disk.remove(folder).catch(() => undefined);
  }
}

function unusable(root: string, reason: string): Fault {
  return new Fault('lake', `This file system ${reason}.`, {
    where: root,
    advice: 'Put the data root on a local disk.',
  });
}
