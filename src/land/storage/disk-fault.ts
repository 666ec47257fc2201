import { dirname, resolve } from 'node:path';
import { type Advice, Fault, wordsOf } from '../../fault.ts';
import { hasMounts, isElsewhere } from '../places/mounts.ts';
import { isCode, localDisk, WRITE_REFUSALS } from './disk.ts';

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
  // A folder cannot be made where a file stands.
  const isPath = PATH_CODES.includes(code) || code === 'EEXIST';
  const isOther = !DISK_CALLS.split(' ').includes(call) || NETWORK_CODE.test(code);
  if (failure === undefined && !isPath && isOther && !isDuckDbError(error)) return error;
  const [message, advice] = failure ?? [
    `The operating system reports: ${error.message}.`,
    isPath || isDuckDbError(error)
      ? (cacheAdvice(error) ??
        'Check the path and its permissions. --data DIR names the data root.')
      : {
          text: `The file system refuses ${call}. ${OTHER_DISK} doctor tries a commit.`,
          command: 'windrow doctor PIPELINE',
        },
  ];
  // Only copies of a lake in a store, and unfinished files, lie on a disk of this machine.
  const isInStore = where !== undefined && isElsewhere(where);
  const place = isInStore ? (path ?? where) : (where ?? path);
  return new Fault('lake', message, { where: place, advice, cause: error });
}

/**
 * The fault of a folder that refused this write of a file or folder in it. Undefined for other
 * errors, such as those of reading a file that is there.
 */
export async function refusedWrite(error: unknown): Promise<Fault | undefined> {
  if (!WRITE_REFUSALS.some((code) => isCode(error, code))) return undefined;
  const { syscall = '', path, dest = path } = error as NodeJS.ErrnoException & { dest?: string };
  if (dest === undefined) return undefined;
  const isThere = async () => (await localDisk.stat(dest).catch(() => null)) !== undefined;
  if (!/^(mkdir|link|rename|unlink|rmdir|rm)$/.test(syscall) && (await isThere())) return undefined;
  return unwritable(dirname(dest), error);
}

/** The fault of a folder, or of the nearest one above it that exists, if it cannot be written. */
export async function unwritable(path: string, cause?: unknown): Promise<Fault | undefined> {
  const folder = await nearest(path);
  const facts = await localDisk.stat(folder).catch(() => undefined);
  if (facts?.kind === 'folder' && (await localDisk.canWrite(folder))) return undefined;
  return new Fault('lake', 'This folder cannot be written.', {
    where: folder,
    advice:
      'Allow this user to write to it, or mount it for writing. --data DIR names another data ' +
      'root; commands that only read need no permission to write.',
    cause,
  });
}

/** The nearest path that exists, from this one upwards. */
export async function nearest(path: string): Promise<string> {
  let place = resolve(path);
  while ((await localDisk.stat(place).catch(() => null)) === undefined) place = dirname(place);
  return place;
}

/** Advice for a missing file of this machine beside a lake in a store; undefined otherwise. */
export function cacheAdvice(error: unknown): Advice | undefined {
  const words = wordsOf(error);
  if (!hasMounts() || !/ENOENT|No files found|Cannot open file/.test(words)) return undefined;
  const text =
    'Run the command again: the lake is unchanged, but files of the cache folder have gone. It ' +
    'may be deleted only while no command runs. If the error stays, an object is missing.';
  return { text, command: 'windrow verify' };
}

/** Whether the operating system reported the error: the disk is full, read-only, failing, ... */
export function isDiskError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof Fault) return isDiskError(error.cause);
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
