import { join } from 'node:path';
import type { Advice } from '../../fault.ts';
import { isElsewhere } from '../places/mounts.ts';
import { type Disk, type FileDigest, isCode, localDisk } from './disk.ts';
import { sha256Of } from './parquet.ts';

/** Advice for damage of data files and log entries, shared by all commands. */
export const RESTORE_ADVICE = {
  text: 'Nothing was changed. Restore these files from a copy, or fetch lost rows again.',
  command: 'windrow verify PIPELINE --repair',
};

/** Advice for damage of captured rows and of submissions. */
export const CAPTURED_ADVICE: Advice = {
  text:
    'Captured rows and submissions cannot be fetched again: restore their files from a copy. ' +
    'Without one, a repair moves these files aside and keeps all others.',
  command: 'windrow verify PIPELINE --repair',
};

/** Advice for damage of checkpoints, also for those of curated tables. */
export const CHECKPOINT_ADVICE: Advice = {
  text:
    'No row is lost with a checkpoint: maintenance writes another one from the log. Where it is ' +
    'newer than the log, a repair moves it aside.',
  command: 'windrow maintain',
};

/** Advice for damage of curated tables alone. */
export const CURATED_ADVICE: Advice = {
  text:
    'Runs write labels and names again; the other curated tables can be computed again from the ' +
    'raw ones, without fetching anything.',
  command: 'windrow load --full',
};

export const REPAIR_ADVICE = {
  text: `verify names everything that is damaged. ${RESTORE_ADVICE.text}`,
  command: RESTORE_ADVICE.command,
};

/** Reads files where they are published: a copy on this machine may be whole where they are not. */
export const original: Pick<Disk, 'readBytes'> = {
  async readBytes(path) {
    if (!isElsewhere(path)) return localDisk.readBytes(path);
    const parts: Uint8Array[] = [];
    for await (const part of localDisk.parts(path)) parts.push(part);
    return Buffer.concat(parts);
  },
};

/** `sizes` compares file sizes; `bytes` also reads every file and compares its sha256. */
export type Depth = 'sizes' | 'bytes';

export interface DamagedFile<File> {
  readonly file: File;
  readonly path: string;
  /** The rest of a sentence that begins with "the file". */
  readonly what: string;
}

/** The files in the folder that differ from the log. */
export async function damagedFiles<File extends FileDigest & { readonly path: string }>(
  folder: string,
  files: Iterable<File>,
  depth: Depth,
): Promise<DamagedFile<File>[]> {
  const damaged: DamagedFile<File>[] = [];
  for (const file of files) {
    const path = join(folder, file.path);
    const what = await fileDamage(path, file, depth);
    if (what !== undefined) damaged.push({ file, path, what });
  }
  return damaged;
}

/**
 * The difference between a data file and the log, as the rest of a sentence that begins with "the
 * file"; undefined without a difference. Files of other programs have no sha256 in the log, so only
 * their size is compared. Throws for a file that this user may not read.
 */
export async function fileDamage(
  path: string,
  { sizeBytes, sha256 }: FileDigest,
  depth: Depth,
): Promise<string | undefined> {
  try {
    const facts = await localDisk.stat(path);
    if (facts === undefined) return 'is missing';
    if (facts.kind !== 'file') return 'is not a file';
    if (facts.bytes !== sizeBytes) return `has ${facts.bytes} bytes instead of ${sizeBytes}`;
    if (!isElsewhere(path)) await localDisk.checkReadable(path);
    if (depth === 'sizes' || sha256 === undefined) return undefined;
    if ((await sha256Of(path)) !== sha256)
      return 'was changed: its sha256 differs from the one in the log';
    return undefined;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return 'is missing';
    if (isCode(error, 'EIO')) return 'cannot be read from the disk';
    throw error;
  }
}
