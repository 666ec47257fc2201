import { randomUUID } from 'node:crypto';
import { constants, createReadStream, readFileSync, type Stats } from 'node:fs';
import {
  access,
  appendFile,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  statfs,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Fault } from '../../fault.ts';
import { withMounts } from '../places/mounts.ts';
import type { Disk, FileFacts } from '../places/published-files.ts';

export type {
  Disk,
  FileDigest,
  OpenFile,
  PublishedFiles,
} from '../places/published-files.ts';

/** Codes of writes that permissions or a read-only file system refuse. */
export const WRITE_REFUSALS = ['EACCES', 'EPERM', 'EROFS'];
/** Codes of operations that a file system lacks. */
const UNSUPPORTED = ['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/** Publishes files by rename and by link, in folders of a local disk. */
export const machineDisk: Disk = {
  async publish(...files) {
    for (const [staged] of files) await this.sync(staged);
    for (const [staged, path] of files) await this.rename(staged, path);
    for (const folder of new Set(files.map(([, path]) => dirname(path)))) {
      await this.syncFolder(folder);
    }
  },
  async publishIfAbsent(staged, path) {
    await this.sync(staged);
    // Names that other processes have given must be durable before this one is.
    await this.syncFolder(dirname(path));
    if (!(await this.linkIfAbsent(staged, path))) {
      const bytes = await readFile(path).catch(() => undefined);
      if (bytes?.equals(await readFile(staged)) !== true) return false;
    }
    await this.syncFolder(dirname(path));
    return true;
  },
  async put(path, content, mode) {
    const staged = `${path}.${randomUUID()}.new`;
    try {
      await this.write(staged, content, mode);
      await this.publish([staged, path]);
    } catch (error) {
      await this.remove(staged).catch(() => undefined);
      throw error;
    }
  },
  read: (path) => readFile(path, 'utf8'),
  // Logs have thousands of small files: waiting for each of them would take most of the time.
  readBytes: async (path) => readFileSync(path),
  parts: (path, range) =>
    createReadStream(path, range === undefined ? {} : { start: range.from, end: range.to }),
  async stat(path) {
    const named = await ifThere(lstat(path));
    if (named === undefined) return undefined;
    const isLink = named.isSymbolicLink();
    return { ...factsOf(isLink ? ((await ifThere(stat(path))) ?? named) : named), isLink };
  },
  async list(path) {
    try {
      return await readdir(path);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return [];
      throw error;
    }
  },
  async files(path) {
    const all = await ifThere(readdir(path, { recursive: true, withFileTypes: true }));
    return (all ?? [])
      .filter((entry) => !entry.isDirectory())
      .map(({ parentPath, name }) => relative(path, join(parentPath, name)))
      .sort();
  },
  remove: (path) => rm(path, { force: true, recursive: true }),
  async makeFolder(path, mode) {
    const missing: string[] = [];
    for (let at = resolve(path); !(await isFolder(at)); at = dirname(at)) missing.unshift(at);
    // One level at a time: Node's recursive mkdir does not return on file systems such as /proc.
    for (const folder of missing) {
      try {
        await mkdir(folder, { mode });
      } catch (error) {
        if (!(await isFolder(folder))) throw error;
      }
      // The name of a new folder is durable only after a sync of its parent.
      await this.syncFolder(dirname(folder));
    }
  },
  create: (path, mode) => open(path, 'wx', mode),
  async write(path, content, mode) {
    const file = await open(path, 'wx', mode);
    try {
      await writeFile(file, content);
    } finally {
      await file.close();
    }
  },
  append: (path, text) => appendFile(path, text),
  copy: (from, to) => copyFile(from, to),
  async sync(path) {
    const file = await open(path, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  },
  async syncFolder(path) {
    const folder = await open(path, constants.O_RDONLY);
    try {
      await folder.sync();
    } catch (error) {
      // File systems without it store names by themselves.
      if (![...UNSUPPORTED, 'EINVAL'].some((code) => isCode(error, code))) throw error;
    } finally {
      await folder.close();
    }
  },
  rename,
  async linkIfAbsent(from, to) {
    try {
      await link(from, to);
      return true;
    } catch (error) {
      if (isCode(error, 'EEXIST')) return false;
      if (![...UNSUPPORTED, 'EPERM', 'EMLINK'].some((code) => isCode(error, code))) throw error;
      throw new Fault('lake', 'This file system has no hard links.', {
        where: to,
        advice: 'Commits are published with them: put the data root on a local disk.',
        cause: error,
      });
    }
  },
  realPath: (path) => realpath(path),
  async canWrite(path) {
    return access(path, constants.W_OK).then(
      () => true,
      (error: unknown) => !WRITE_REFUSALS.some((code) => isCode(error, code)),
    );
  },
  checkReadable: (path) => access(path, constants.R_OK),
  async freeBytes(path) {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  },
  touch: (path, usedMs, modifiedMs) => utimes(path, usedMs / 1000, modifiedMs / 1000),
  fetch: async () => undefined,
  renew: () => undefined,
  expect: () => undefined,
};

/** The files of this machine, and the published files of mounts. */
export const localDisk: Disk = withMounts(machineDisk);

/** The result of an operation; undefined if its path does not exist. */
export async function ifThere<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await ifThere(stat(path)))?.isDirectory() ?? false;
}

function factsOf(stats: Stats): Omit<FileFacts, 'isLink'> {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    bytes: stats.size,
    modifiedMs: stats.mtimeMs,
    usedMs: stats.atimeMs,
    ownerId: stats.uid,
    isPrivate: (stats.mode & 0o077) === 0,
  };
}

/** Whether an error says that a disk or its quota is full. */
export function isFull(error: unknown): boolean {
  return isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT');
}

/** Whether an error carries this code of the operating system. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
