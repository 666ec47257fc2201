import { constants } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '../fault.ts';

/**
 * The few ways in which the lake touches the disk. Durability is explicit: nothing is safe from a
 * power cut until `sync` (a file's bytes) and `syncFolder` (its name) have returned.
 */
export interface Disk {
  makeFolder(path: string): Promise<void>;
  /** Writes a file that must not exist yet. */
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
  /** Names in the folder; empty when there is no such folder. */
  list(path: string): Promise<string[]>;
  sync(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives the file a second name only if that name is free: put-if-absent. */
  linkIfAbsent(from: string, to: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  freeBytes(path: string): Promise<number>;
}

export const localDisk: Disk = {
  async makeFolder(path) {
    const first = await mkdir(path, { recursive: true });
    // A new folder is a name in its parent, and just as lost in a power cut.
    if (first !== undefined) await localDisk.syncFolder(dirname(first));
  },
  async write(path, text) {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
  },
  read: (path) => readFile(path, 'utf8'),
  async list(path) {
    try {
      return await readdir(path);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return [];
      throw error;
    }
  },
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
      if (isCode(error, 'EPERM') || isCode(error, 'ENOTSUP')) {
        throw new Fault('lake', 'This file system has no hard links.', {
          where: to,
          advice: 'Commits are published with them: put the data root on a local disk.',
          cause: error,
        });
      }
      throw error;
    }
  },
  remove: (path) => rm(path, { force: true, recursive: true }),
  async freeBytes(path) {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  },
};

/** Whether an error carries this code of the operating system. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
