import { constants, readFileSync } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Fault } from '../../fault.ts';

/**
 * All disk operations of the lake. Durability is explicit: a file survives a power cut only after
 * `sync` (its bytes) and `syncFolder` (its name) have returned.
 */
export interface Disk {
  /** Makes the folder and its parents; they survive a power cut after this has returned. */
  makeFolder(path: string): Promise<void>;
  /** Writes a file that must not exist yet. */
  write(path: string, text: string): Promise<void>;
  /** Like `write`, in parts that are made one at a time. */
  writeParts(path: string, parts: Iterable<string | Buffer>): Promise<void>;
  read(path: string): Promise<string>;
  readBytes(path: string): Promise<Buffer>;
  /** Names in the folder; empty if it does not exist. */
  list(path: string): Promise<string[]>;
  sync(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives the file a second name if that name is free (put-if-absent); false if it is taken. */
  linkIfAbsent(from: string, to: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  freeBytes(path: string): Promise<number>;
}

/** Codes of operations that a file system lacks. */
const UNSUPPORTED = ['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

export const localDisk: Disk = {
  async makeFolder(path) {
    const missing: string[] = [];
    for (let at = resolve(path); !(await isFolder(at)); at = dirname(at)) missing.unshift(at);
    // One level at a time: Node's recursive mkdir does not return on file systems such as /proc.
    for (const folder of missing) {
      try {
        await mkdir(folder);
      } catch (error) {
        if (!(await isFolder(folder))) throw error;
      }
      // The name of a new folder is durable only after a sync of its parent.
      await this.syncFolder(dirname(folder));
    }
  },
  async write(path, text) {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
  },
  async writeParts(path, parts) {
    const file = await open(path, 'wx');
    try {
      for (const part of parts) {
        if (typeof part === 'string') await file.write(part);
        else await file.write(part);
      }
    } finally {
      await file.close();
    }
  },
  read: (path) => readFile(path, 'utf8'),
  // Logs have thousands of small files: waiting for each of them would take most of the time.
  readBytes: async (path) => readFileSync(path),
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
  remove: (path) => rm(path, { force: true, recursive: true }),
  async freeBytes(path) {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  },
};

/** A commit fails before it starts if less than this is free. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;

/** Throws Fault('lake') if the disk with the staging folder has no room for a commit to a table. */
export async function checkSpace(disk: Disk, staging: string, table: string): Promise<void> {
  const free = await disk.freeBytes(staging);
  if (free >= MIN_FREE_BYTES) return;
  throw new Fault('lake', `Only ${free} bytes are free where the lake lies.`, {
    where: table,
    advice: 'Make room and run the command again: committed data stays unchanged.',
  });
}

const MAKE_ROOM = 'Make room and run the command again: committed data stays unchanged.';
const CHECK_DISK = 'Check the disk, then run the command again: committed data stays unchanged.';
const OTHER_DISK = 'Put the data root on a local disk, or on another file system.';
const RESTART = 'Run the command again: committed data stays unchanged.';
const MORE_FILES = 'Allow more with ulimit -n, then run the command again.';

/** Messages and advice for codes of disk operations. */
const FAILURES: Readonly<Record<string, readonly [message: string, advice: string]>> = {
  ENOSPC: ['The disk is full.', MAKE_ROOM],
  EDQUOT: ['The disk is full: the quota of this user is used up.', MAKE_ROOM],
  EIO: ['The disk failed.', CHECK_DISK],
  EXDEV: [
    'Folders of the data root lie on different file systems.',
    'Files are moved between its folders: mount or link the data root as a whole.',
  ],
  EMFILE: ['This process has too many open files.', MORE_FILES],
  ENFILE: ['This machine has too many open files.', MORE_FILES],
  ENOTCONN: ['The file system is no longer connected.', `Mount it again. ${RESTART}`],
  ESTALE: ['The file system was replaced or restarted.', `Mount it again. ${RESTART}`],
  ELOOP: ['Symbolic links lead in a circle.', 'Correct the links in this path.'],
  EFBIG: ['The file is larger than the file system or ulimit -f allows.', OTHER_DISK],
};

/** Codes about a path and its permissions. */
const PATH_CODES = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENOENT', 'ENAMETOOLONG'];
const DISK_CALLS =
  'access chmod close copyfile fchmod fdatasync fstat fsync ftruncate futime link lstat mkdir ' +
  'mkdtemp open opendir read readlink realpath rename rm rmdir scandir stat statfs symlink ' +
  'unlink utime write';
const NETWORK_CODE = /^(EPIPE|ECONN|ENET|EHOST|EADDR)/;

/**
 * Converts every error of a disk operation to a Fault, except those about paths, permissions and
 * files that DuckDB reads, which depend on the command. Returns other errors unchanged.
 */
export function diskFault(error: unknown, where: string | undefined): unknown {
  const isOther = PATH_CODES.some((code) => isCode(error, code)) || isDuckDbError(error);
  return isOther ? error : systemFault(error, where);
}

/** Converts every error of a disk operation to a Fault; returns other errors unchanged. */
export function systemFault(error: unknown, where?: string): unknown {
  if (!(error instanceof Error) || error instanceof Fault) return error;
  const code = isDuckDbFull(error) ? 'ENOSPC' : 'code' in error ? String(error.code) : '';
  const call = 'syscall' in error ? String(error.syscall) : '';
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  const failure = FAILURES[code];
  const isPath = PATH_CODES.includes(code);
  const isOther = !DISK_CALLS.split(' ').includes(call) || NETWORK_CODE.test(code);
  if (failure === undefined && !isPath && isOther && !isDuckDbError(error)) return error;
  const [message, advice] = failure ?? [
    `The operating system reports: ${error.message}.`,
    isPath || isDuckDbError(error)
      ? 'Check the path and its permissions. --data DIR names the data root.'
      : `The file system refuses ${call}. ${OTHER_DISK} windrow doctor FILE tries a commit.`,
  ];
  const place = where ?? path;
  return new Fault('lake', message, {
    ...(place === undefined ? {} : { where: place }),
    advice,
    cause: error,
  });
}

/** Whether the operating system reported the error: the disk is full, read-only, failing, ... */
export function isDiskError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return ('code' in error && typeof error.code === 'string') || isDuckDbFull(error);
}

/** DuckDB reads and writes files itself and reports errors of the disk only in the message. */
function isDuckDbFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /No space left on device|Disk quota exceeded/.test(error.message);
}

function isDuckDbError(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('IO Error:') && !isDuckDbFull(error);
}

/** Whether an error carries this code of the operating system. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
