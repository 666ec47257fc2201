import { dirname, relative, resolve } from 'node:path';
import { Fault } from '../fault.ts';
import { isMounted } from '../land/places/mounts.ts';
import { isCode, localDisk, WRITE_REFUSALS } from '../land/storage/disk.ts';

/**
 * The fault of a data root that is a file, or that this user cannot write to, where the operating
 * system refused a call for a path in it; otherwise the error itself. The path of the error is
 * often a temporary file, which says nothing to a reader.
 */
export async function rootFault(error: unknown, given: string): Promise<unknown> {
  const isInStore = isMounted(given);
  const root = isInStore ? dirname(given) : given;
  const name = isInStore ? 'cache folder' : 'data root';
  const another = isInStore ? 'folder in WINDROW_CACHE_DIR' : 'root with --data DIR';
  if (!(error instanceof Error)) return error;
  if (!('path' in error) || typeof error.path !== 'string') return error;
  if (relative(resolve(root), resolve(error.path)).startsWith('..')) return error;
  const isInFile = ['ENOTDIR', 'EEXIST'].some((code) => isCode(error, code));
  if (isInFile && (await localDisk.stat(root).catch(() => undefined))?.kind === 'file') {
    const advice = `Name another ${another}, which may be new.`;
    return new Fault('usage', `The ${name} is a file.`, { where: root, advice });
  }
  if (!WRITE_REFUSALS.some((code) => isCode(error, code))) return error;
  const isReadOnly = isCode(error, 'EROFS');
  if (!isReadOnly && !(await wasWriting(error, error.path))) return error;
  const reason = isReadOnly ? 'its file system is read-only' : 'this user lacks the permission';
  const remedy = isReadOnly
    ? 'Mount it for writing'
    : `Allow this user to write to ${root} and all folders in it`;
  return new Fault('lake', `The ${name} cannot be written: ${reason}.`, {
    where: root,
    advice: `${remedy}, or name another ${another}.`,
    cause: error,
  });
}

/** Whether a call that was refused would have written: to read a file that is not there fails. */
async function wasWriting(error: Error, path: string): Promise<boolean> {
  if ('syscall' in error && error.syscall !== 'open') return !isReading(error.syscall);
  return (await localDisk.stat(path).catch(() => path)) === undefined;
}

function isReading(call: unknown): boolean {
  return ['access', 'stat', 'lstat', 'statfs', 'scandir', 'read'].includes(String(call));
}
