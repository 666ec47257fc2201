import { basename, join } from 'node:path';
import type { Effects } from '../../effects.ts';
import { type Disk, isCode } from '../storage/disk.ts';
import { BrokenEntry } from './broken-entry.ts';
import { checkpointVersions, KEPT_CHECKPOINTS, REMOVED_MS } from './checkpoint.ts';
import { committedAt, linesOf } from './log-entry.ts';

/**
 * Where the entries of a log lie: in `_delta_log`, which all programs read, and in a folder beside
 * it, to which old ones are moved. Other programs list all files of `_delta_log` to open a table,
 * and begin with its checkpoint; windrow reads both folders, so its log begins with version 0.
 */
export const LOG = '_delta_log';
const ARCHIVE = '_archived_log';
const ENTRY = /^\d{20}\.json$/;

export function entryName(version: number): string {
  return `${String(version).padStart(20, '0')}.json`;
}

/** Whether a path, relative to the folder of its table, is in the log. */
export function isOfLog(path: string): boolean {
  return path.startsWith(LOG) || path.startsWith(ARCHIVE);
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

/**
 * The versions of all entries of a table, in order; `names` are those in its `_delta_log`, listed
 * before. An entry that is moved meanwhile is in one of both lists at least.
 */
export async function allVersions(
  disk: Pick<Disk, 'list'>,
  table: string,
  names: readonly string[],
): Promise<number[]> {
  const archived = entryVersions(await disk.list(join(table, ARCHIVE)));
  return [...new Set([...archived, ...entryVersions(names)])].sort((a, b) => a - b);
}

/** Whether the entry of a version was moved to the archive. */
export async function isArchived(
  disk: Pick<Disk, 'readBytes'>,
  table: string,
  version: number,
): Promise<boolean> {
  try {
    await disk.readBytes(join(table, ARCHIVE, entryName(version)));
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** The path and the bytes of an entry. Throws ENOENT if neither folder has it. */
export async function readEntry(
  disk: Pick<Disk, 'readBytes'>,
  table: string,
  version: number,
): Promise<{ path: string; bytes: Buffer }> {
  const path = join(table, LOG, entryName(version));
  try {
    return { path, bytes: await disk.readBytes(path) };
  } catch (error) {
    // Node reads no file of more than 2 GiB at once.
    if (isCode(error, 'ERR_FS_FILE_TOO_LARGE')) throw new BrokenEntry(0, 'is larger than 2 GiB');
    if (!isCode(error, 'ENOENT')) throw error;
    const archived = join(table, ARCHIVE, entryName(version));
    return { path: archived, bytes: await disk.readBytes(archived) };
  }
}

/** When a version was committed [ms since the Unix epoch]; 0 if another program left it out. */
export async function committedAtVersion(
  disk: Pick<Disk, 'readBytes'>,
  table: string,
  version: number,
): Promise<number> {
  return committedAt(linesOf((await readEntry(disk, table, version)).bytes));
}

/**
 * Moves the entries to the archive that are older than `REMOVED_MS` and than all checkpoints, so
 * that readers which begin with any of these find all later entries. Returns the number of moved
 * ones.
 */
export async function archiveEntries(
  settings: { readonly disk: Disk; readonly effects: Effects },
  table: string,
): Promise<number> {
  const { disk, effects } = settings;
  const [log, archive] = [join(table, LOG), join(table, ARCHIVE)];
  const names = await disk.list(log);
  const checkpoints = checkpointVersions(names);
  if (checkpoints.length < KEPT_CHECKPOINTS) return 0;
  const oldest = Math.min(...checkpoints);
  const all = await allVersions(disk, table, names);
  // A log with gaps is left as it is: `windrow verify` names them.
  if (!all.every((version, i) => version === i)) return 0;
  const before = entryVersions(names).filter((version) => version < oldest);
  const count = await countOlder(disk, table, before, effects.now() - REMOVED_MS);
  if (count === 0) return 0;
  await moveEntries(settings, before.slice(0, count), log, archive);
  return count;
}

/** How many of these versions were committed before a time; they are taken to be in its order. */
async function countOlder(
  disk: Disk,
  table: string,
  versions: readonly number[],
  beforeMs: number,
): Promise<number> {
  let [low, high] = [0, versions.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { bytes } = await readEntry(disk, table, versions[middle] ?? 0);
    if (isOlder(bytes, beforeMs)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** False for an entry without a time, which other programs may write. */
function isOlder(entry: Buffer, beforeMs: number): boolean {
  try {
    const atMs = committedAt(linesOf(entry));
    return atMs > 0 && atMs < beforeMs;
  } catch (error) {
    if (error instanceof BrokenEntry) return false;
    throw error;
  }
}

/**
 * Moves all archived entries back, the newest first, so that `_delta_log` has no gap. Without its
 * checkpoints, other programs need them. An entry that `_delta_log` has stays as it is.
 */
export async function restoreArchive(disk: Disk, table: string): Promise<void> {
  const [log, archive] = [join(table, LOG), join(table, ARCHIVE)];
  const versions = entryVersions(await disk.list(archive));
  if (versions.length > 0) await moveEntries({ disk }, versions.reverse(), archive, log);
}

/**
 * Moves entries in this order. Whatever stops it, each of them is in one of both folders. Where
 * both have it, the one in `_delta_log` is kept: that one is read, verified and mended.
 */
async function moveEntries(
  { disk, effects }: { readonly disk: Disk; readonly effects?: Effects },
  versions: readonly number[],
  from: string,
  to: string,
): Promise<void> {
  await disk.makeFolder(to);
  for (const name of versions.map(entryName)) {
    const isFree = await disk.linkIfAbsent(join(from, name), join(to, name));
    if (!isFree && basename(from) === LOG) await disk.rename(join(from, name), join(to, name));
    effects?.reached('log entry linked');
  }
  await disk.syncFolder(to);
  for (const name of versions.map(entryName)) {
    await disk.remove(join(from, name));
    effects?.reached('log entry removed');
  }
  await disk.syncFolder(from);
}
