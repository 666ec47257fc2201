import { join } from 'node:path';
import { type Disk, diskFault } from './disk.ts';
import type { Layout } from './layout.ts';

/** The folders in which runs make their files. What was committed is never in them. */

/**
 * Runs, replays and drops are named by their time. Everything else in the folder is of somebody
 * who takes no lock and may still be at work.
 */
const RUN_NAME = /^\d{8}T\d{6}Z-[0-9a-z]+$/;

/**
 * Removes what other runs left: those that were killed left files in the making. Only who holds the
 * lock on the data root may call it, because those other runs must have ended. Returns the names of
 * the runs, in order. Fault('lake') for what the disk refuses.
 */
export async function removeLeftovers(
  { staging }: Layout,
  own: string,
  disk: Disk,
): Promise<string[]> {
  try {
    const names = (await disk.list(staging)).filter((name) => RUN_NAME.test(name) && name !== own);
    for (const name of names.sort()) await disk.remove(join(staging, name));
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
