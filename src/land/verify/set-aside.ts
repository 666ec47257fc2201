import { randomUUID } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { LAST_CHECKPOINT } from '../delta/checkpoint.ts';
import { mended } from '../delta/log-entry.ts';
import { entryName, entryVersions, LOG } from '../delta/log-files.ts';
import type { Disk } from '../storage/disk.ts';
import type { Layout } from '../storage/layout.ts';
import { versionOf } from './checkpoint-damage.ts';
import { type TableVerification, verifyTable } from './verify-table.ts';

/** The folder to which a repair moves damaged files. They are never deleted. */
export interface Aside {
  readonly layout: Layout;
  /** Name of the repair and of its folder below `damaged`. */
  readonly run: string;
  readonly disk: Disk;
}

/** Moves a file or a folder of the data root; returns its new path. */
export async function setAside({ layout, run, disk }: Aside, path: string): Promise<string> {
  const to = join(layout.damagedOf(run), relative(layout.root, path));
  await disk.makeFolder(dirname(to));
  await disk.rename(path, to);
  await disk.syncFolder(dirname(to));
  await disk.syncFolder(dirname(path));
  return to;
}

/**
 * Restores log entries with one changed bit; the damaged ones are moved to `damaged`. Returns the
 * restored versions.
 */
export async function mendEntries(aside: Aside, table: TableVerification): Promise<number[]> {
  const { layout, run, disk } = aside;
  const done: number[] = [];
  for (const { version, path } of table.log.damaged) {
    const entry =
      version > table.log.newest ? undefined : await disk.readBytes(path).catch(() => undefined);
    const whole = entry && mended(entry);
    if (whole === undefined) continue;
    const staging = layout.stagingOf(run);
    await disk.makeFolder(staging);
    const staged = join(staging, `${randomUUID()}.json`);
    await disk.write(staged, whole);
    // Link the damaged entry first, then replace it: the version always has an entry.
    const to = join(layout.damagedOf(run), relative(layout.root, path));
    await disk.makeFolder(dirname(to));
    await disk.linkIfAbsent(path, to);
    await disk.syncFolder(dirname(to));
    await disk.publish([staged, path]);
    done.push(version);
  }
  return done;
}

/**
 * Lets a log begin with its checkpoint of this version: moves all older entries and checkpoints, of
 * which one is damaged. Its coverage and rows stay as they are.
 */
export async function beginAt(
  aside: Aside,
  { folder }: Pick<TableVerification, 'folder'>,
  version: number,
): Promise<void> {
  const log = join(folder, LOG);
  const names = await aside.disk.list(log);
  const isOld = (name: string): boolean => {
    return (entryVersions([name])[0] ?? versionOf(name)) < version;
  };
  for (const name of names.filter(isOld).sort()) await setAside(aside, join(log, name));
}

/**
 * Cuts a log before its first damaged entry: moves this entry, all later ones, all damaged or later
 * checkpoints and the data files that only these entries name. Moves the newest entry first, so the
 * log never has a gap.
 */
export async function cutLog(aside: Aside, table: TableVerification): Promise<void> {
  const folder = join(table.folder, LOG);
  const [first] = table.log.damaged;
  const from = first?.version ?? Number.POSITIVE_INFINITY;
  const broken = new Set(table.log.damagedCheckpoints.map(({ name }) => name));
  for (const name of table.log.checkpoints) {
    // `_last_checkpoint` may name a version that is cut off.
    const isCut = versionOf(name) >= from || (first !== undefined && name === LAST_CHECKPOINT);
    if (broken.has(name) || isCut) await setAside(aside, join(folder, name));
  }
  if (first === undefined) return;
  const versions = entryVersions(await aside.disk.list(folder)).reverse();
  for (const version of versions.filter((version) => version >= from)) {
    await setAside(aside, join(folder, entryName(version)));
  }
  const { orphans } = await verifyTable(table);
  for (const path of orphans) {
    if (!table.orphans.includes(path)) await setAside(aside, join(table.folder, path));
  }
}
