import { join } from 'node:path';
import { Fault } from '../../fault.ts';
import { isElsewhere } from '../places/mounts.ts';
import type { Disk } from './disk.ts';
import { diskFault } from './disk-fault.ts';
import type { Layout } from './layout.ts';

/** The folders for unfinished files of runs. Committed files are never in them. */

/**
 * Names of runs and drops begin with their time. Other files in the folder belong to
 * commands that take no lock and may still be running.
 */
const RUN_NAME = /^\d{8}T\d{6}Z-[0-9a-z]+$/;

/**
 * An unfinished warehouse with its DuckDB files, a data file, a checkpoint of a log, or a folder of
 * spilled rows.
 */
const OF_LOAD = new RegExp(
  '^(warehouse-[0-9a-f-]{36}\\.duckdb(\\.wal|\\.tmp-.*)?' +
    '|part-[0-9a-f-]{36}\\.parquet|spilled-.*' +
    '|checkpoint-[0-9a-f-]{36}\\.(windrow|json|parquet|last))$',
);
/** `windrow load` takes no lock, so younger files may be in use. On Spark it may take hours. */
const OLD_MS = 86_400_000;

/**
 * Names of unfinished files of killed runs, and of those of killed loads that are more than a day
 * old; runs first. The caller must hold the lock on the data root, so all other runs have ended.
 */
export async function leftovers(
  { staging }: Layout,
  run: string,
  disk: Disk,
  nowMs: number,
): Promise<string[]> {
  try {
    const all = (await disk.list(staging)).sort();
    const names = all.filter((name) => RUN_NAME.test(name) && name !== run);
    for (const folder of ['', 'load']) {
      const unfinished = (await disk.list(join(staging, folder))).filter((name) => {
        return OF_LOAD.test(name);
      });
      for (const name of unfinished.sort().map((file) => join(folder, file))) {
        const { modifiedMs = nowMs } = (await disk.stat(join(staging, name))) ?? {};
        if (nowMs - modifiedMs > OLD_MS) names.push(name);
      }
    }
    return names;
  } catch (error) {
    throw diskFault(error, staging);
  }
}

/** Removes these files; returns their names. Throws Fault('lake') for a full or failing disk. */
export async function removeLeftovers(
  paths: Layout,
  run: string,
  disk: Disk,
  nowMs: number,
): Promise<string[]> {
  const names = await leftovers(paths, run, disk, nowMs);
  try {
    for (const name of names) await disk.remove(join(paths.staging, name));
    return names;
  } catch (error) {
    throw diskFault(error, paths.staging);
  }
}

/**
 * Removes the staging folder of a run that has committed everything. Ignores names that are not
 * names of runs. Throws Fault('lake') for a full or failing disk.
 */
export async function removeStaging(layout: Layout, run: string, disk: Disk): Promise<void> {
  if (!RUN_NAME.test(run)) return;
  try {
    await disk.remove(layout.stagingOf(run));
  } catch (error) {
    throw diskFault(error, layout.staging);
  }
}

/** A commit fails before it starts if less than this is free. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;

/** Throws Fault('lake') if the disk with the staging folder has no room for a commit to a table. */
export async function checkSpace(disk: Disk, staging: string, table: string): Promise<void> {
  const free = await disk.freeBytes(staging);
  if (free >= MIN_FREE_BYTES) return;
  const isInStore = isElsewhere(table);
  const place = isInStore ? 'where copies of the lake lie' : 'where the lake lies';
  throw new Fault('lake', `Only ${Math.floor(free / 1024)} KiB are free ${place}.`, {
    where: isInStore ? staging : table,
    advice: 'Make room and run the command again: committed data stays unchanged.',
  });
}
