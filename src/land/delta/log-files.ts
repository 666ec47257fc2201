import { join } from 'node:path';
import { type Disk, ifThere, isCode } from '../storage/disk.ts';
import { BrokenEntry } from './broken-entry.ts';
import { committedAt, linesOf } from './log-entry.ts';

/**
 * The files of a table's log, all in `_delta_log`: one entry for each version, and every so often a
 * checkpoint (`checkpoint.ts`). The log begins with version 0, or with the oldest checkpoint once
 * older entries have expired.
 */
export const LOG = '_delta_log';
const ENTRY = /^\d{20}\.json$/;

export function entryName(version: number): string {
  return `${String(version).padStart(20, '0')}.json`;
}

/** Whether a path, relative to the folder of its table, is in the log. */
export function isOfLog(path: string): boolean {
  return path.startsWith(LOG);
}

/** The versions of the entries among these names, in order; without those of `strayEntries`. */
export function entryVersions(names: readonly string[]): number[] {
  return names
    .filter((name) => ENTRY.test(name))
    .map((name) => Number.parseInt(name, 10))
    .filter(Number.isSafeInteger)
    .sort((a, b) => a - b);
}

/** Names like those of entries, with versions that no log reaches. */
export function strayEntries(names: readonly string[]): string[] {
  return names.filter((name) => ENTRY.test(name) && entryVersions([name]).length === 0);
}

/** The bytes of an entry. Throws ENOENT if it is missing, BrokenEntry for one beyond 2 GiB. */
export async function readEntry(
  disk: Pick<Disk, 'readBytes'>,
  table: string,
  version: number,
): Promise<Buffer> {
  try {
    return await disk.readBytes(join(table, LOG, entryName(version)));
  } catch (error) {
    // Node reads no file of more than 2 GiB at once.
    if (isCode(error, 'ERR_FS_FILE_TOO_LARGE')) throw new BrokenEntry(0, 'is larger than 2 GiB');
    throw error;
  }
}

/**
 * When a version was committed [ms since the Unix epoch]; 0 if another program left it out or the
 * entry is damaged, and undefined for an entry that has expired.
 */
export async function committedAtVersion(
  disk: Pick<Disk, 'readBytes'>,
  table: string,
  version: number,
): Promise<number | undefined> {
  try {
    const entry = await ifThere(readEntry(disk, table, version));
    return entry && committedAt(linesOf(entry));
  } catch (error) {
    if (error instanceof BrokenEntry) return 0;
    throw error;
  }
}
