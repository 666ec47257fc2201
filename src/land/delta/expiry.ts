import { join } from 'node:path';
import type { Disk } from '../storage/disk.ts';
import { checkpointName, checkpointVersions, stateName, stateVersions } from './checkpoint.ts';
import { committedAtVersion, entryName, entryVersions, LOG } from './log-files.ts';

/**
 * The oldest versions of a table expire: the log begins with a checkpoint that is as old as
 * `LOG_RETENTION_MS`, or with version 0. `--as-of` reaches as far, and a reader or writer that has
 * begun with a version of this week can finish.
 */
const LOG_RETENTION_MS = 7 * 24 * 3_600_000;

/** The newest checkpoints, which are kept: the older one serves where the other is damaged. */
const NEWEST = 2;
/** Older ones are kept at this distance, so that reading an older version takes no longer. */
const DISTANCE_MS = 24 * 3_600_000;

/** A checkpoint, and when its version was committed [ms since the Unix epoch]. */
export interface DatedCheckpoint {
  readonly version: number;
  readonly atMs: number;
}

/** The checkpoints that stay, and the version that the log begins with. */
export interface KeptLog {
  readonly checkpoints: ReadonlySet<number>;
  readonly from: number;
}

/** The part of a log that stays at a time. The checkpoints are whole, the oldest first. */
export function keptLog(checkpoints: readonly DatedCheckpoint[], nowMs: number): KeptLog {
  const kept: DatedCheckpoint[] = [];
  for (const [i, checkpoint] of checkpoints.entries()) {
    const isNewest = i >= checkpoints.length - NEWEST;
    const nextMs = (kept.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) + DISTANCE_MS;
    if (isNewest || checkpoint.atMs >= nextMs) kept.push(checkpoint);
  }
  const isOld = ({ atMs }: DatedCheckpoint): boolean => atMs < nowMs - LOG_RETENTION_MS;
  const first = Math.min(kept.findLastIndex(isOld), kept.length - NEWEST);
  const rest = kept.slice(Math.max(first, 0));
  return {
    checkpoints: new Set(rest.map(({ version }) => version)),
    from: first < 0 ? 0 : (rest[0]?.version ?? 0),
  };
}

/**
 * Removes the checkpoints and entries of a table that have expired. Whatever stops it, the log is
 * whole from its oldest checkpoint or from version 0 on.
 */
export async function expireLog(disk: Disk, table: string, nowMs: number): Promise<void> {
  const log = join(table, LOG);
  const names = await disk.list(log);
  const states = new Set(stateVersions(names));
  const dated: DatedCheckpoint[] = [];
  for (const version of checkpointVersions(names).reverse()) {
    if (!states.has(version)) continue;
    // A version without a time counts as new.
    const atMs = (await committedAtVersion(disk, table, version)) || nowMs;
    dated.push({ version, atMs });
  }
  const { checkpoints, from } = keptLog(dated, nowMs);
  const newest = dated.at(-1)?.version ?? -1;
  const isGone = (version: number): boolean => version < newest && !checkpoints.has(version);
  for (const version of stateVersions(names).filter(isGone))
    await disk.remove(join(log, stateName(version)));
  for (const version of checkpointVersions(names).filter(isGone))
    await disk.remove(join(log, checkpointName(version)));
  const [oldest, ...entries] = entryVersions(names).filter((version) => version < from);
  if (oldest === undefined) return;
  await disk.remove(join(log, entryName(oldest)));
  // A power cut after this cannot bring back entries that seem to be the beginning of the log.
  await disk.syncFolder(log);
  for (const version of entries) await disk.remove(join(log, entryName(version)));
}
