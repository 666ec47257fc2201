import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Disk, diskFault } from './disk.ts';
import type { Layout } from './layout.ts';

/** The folders in which runs make their files. What was committed is never in them. */

/**
 * Runs, replays and drops are named by their time. Everything else in the folder is of somebody
 * who takes no lock and may still be at work.
 */
const RUN_NAME = /^\d{8}T\d{6}Z-[0-9a-z]+$/;

/** A warehouse in the making, with the log that DuckDB keeps beside it. */
const WAREHOUSE = /^warehouse-[0-9a-f-]{36}\.duckdb(\.wal)?$/;
/** `windrow load` takes no lock, so one may be at work; none works for as long as this. */
const OLD_WAREHOUSE_MS = 3_600_000;

/**
 * Removes what other runs left: those that were killed left files in the making. Only who holds the
 * lock on the data root may call it, because those other runs must have ended. Warehouses that no
 * run was making go when they are an hour old. Returns the names of what was removed, runs first.
 * Fault('lake') for what the disk refuses.
 */
export async function removeLeftovers(
  { staging }: Layout,
  own: string,
  disk: Disk,
  nowMs: number,
): Promise<string[]> {
  try {
    const all = (await disk.list(staging)).sort();
    const names = all.filter((name) => RUN_NAME.test(name) && name !== own);
    for (const folder of ['', 'load']) {
      const warehouses = (await disk.list(join(staging, folder))).filter((name) => {
        return WAREHOUSE.test(name);
      });
      for (const name of warehouses.sort().map((each) => join(folder, each))) {
        const { mtimeMs } = await stat(join(staging, name));
        if (nowMs - mtimeMs > OLD_WAREHOUSE_MS) names.push(name);
      }
    }
    for (const name of names) await disk.remove(join(staging, name));
    return names;
  } catch (error) {
    throw diskFault(error, staging);
  }
}

/**
 * Removes the folder of a run that has ended and committed everything. One whose name is not that
 * of a run stays. Fault('lake') for what the disk refuses.
 */
export async function removeStaging(layout: Layout, run: string, disk: Disk): Promise<void> {
  if (!RUN_NAME.test(run)) return;
  try {
    await disk.remove(layout.stagingOf(run));
  } catch (error) {
    throw diskFault(error, layout.staging);
  }
}
