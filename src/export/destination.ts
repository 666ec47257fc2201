import { randomUUID } from 'node:crypto';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { Fault } from '../fault.ts';
import { type Disk, isCode } from '../land/storage/disk.ts';
import type { Layout } from '../land/storage/layout.ts';

/** The final path of a file, and its path while it is written. */
export interface ExportFile {
  readonly file: string;
  /** Beside the final path, so that a rename publishes it. */
  readonly making: string;
  readonly mayReplace: boolean;
  /** The column whose values name the folders of a folder; undefined for a file. */
  readonly partitionBy?: string | undefined;
}

/** The default folder of exports. */
export function exportsFolder({ root }: Layout): string {
  return join(root, 'exports');
}

/** The path of a file while it is written. */
export function unfinished(file: string): string {
  const path = resolve(file);
  return join(dirname(path), `.${basename(path)}.${randomUUID()}`);
}

/**
 * Checks the path for a file, and creates the default folder of exports if it is there. Throws
 * Fault('usage') if the folder does not exist or cannot be written, if it is one of the data root's
 * own folders, and if the path is taken and may not be replaced.
 */
export async function destination(
  path: string,
  options: Pick<ExportFile, 'mayReplace' | 'partitionBy'> & {
    readonly layout: Layout;
    readonly disk: Disk;
  },
  making = unfinished(path),
): Promise<ExportFile> {
  const { layout, disk, mayReplace, partitionBy } = options;
  const file = resolve(path);
  const exports = resolve(exportsFolder(layout));
  if (dirname(file) === exports && (await disk.canWrite(layout.root)))
    await disk.makeFolder(exports);
  const folder = await disk.realPath(dirname(file)).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'ENOTDIR')) throw error;
    if (dirname(file) === exports) throw unwritable(layout.root);
    throw new Fault('usage', 'The folder of the file to write does not exist.', {
      where: dirname(file),
      advice: 'Create it, or give another path with --out FILE.',
    });
  });
  const isExport = isWithin(exports, dirname(file));
  if (!isExport && isWithin(await disk.realPath(layout.root), folder)) {
    throw new Fault('usage', 'The path lies among the files of the data root itself.', {
      where: path,
      advice: `Write to ${exportsFolder(layout)}, or to a folder outside the data root.`,
    });
  }
  await checkFree({ file, mayReplace, partitionBy }, disk);
  if (!(await disk.canWrite(folder))) throw unwritable(folder);
  return { file, making, mayReplace, partitionBy };
}

function unwritable(folder: string): Fault {
  return new Fault('usage', 'This user cannot write to the folder of the file.', {
    where: folder,
    advice: 'Give a path in another folder with --out FILE.',
  });
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

async function checkFree(to: Omit<ExportFile, 'making'>, disk: Disk): Promise<void> {
  const { file, mayReplace, partitionBy } = to;
  const facts = await disk.stat(file);
  if (facts === undefined) return;
  if (facts.isLink || facts.kind !== (partitionBy === undefined ? 'file' : 'folder')) {
    const wanted = partitionBy === undefined ? 'plain file' : 'folder';
    throw new Fault('usage', `The path to write to is not a ${wanted}.`, {
      where: file,
      advice: 'Give another path with --out FILE.',
    });
  }
  if (partitionBy !== undefined) await checkOwnFolder(file, partitionBy, disk);
  if (!mayReplace) throw isThere(file);
}

/** Refuses to replace a folder that holds anything but partitions by the same column. */
async function checkOwnFolder(folder: string, partitionBy: string, disk: Disk): Promise<void> {
  const names = await disk.list(folder);
  const others = names.filter((name) => !name.startsWith(`${partitionBy}=`));
  if (others.length === 0) return;
  throw new Fault('usage', `The folder holds other files (${others.slice(0, 3).join(', ')}).`, {
    where: folder,
    advice: 'Give another path with --out FILE.',
  });
}

function isThere(file: string): Fault {
  return new Fault('usage', 'The file to write exists already.', {
    where: file,
    advice: 'Replace it with --force, or give another path with --out FILE.',
  });
}

/** Renames a finished file, so that readers find it whole or not at all. */
export async function publish(to: ExportFile, disk: Disk): Promise<void> {
  if (to.partitionBy !== undefined) return publishFolder(to, disk);
  await disk.sync(to.making);
  // A file that has appeared there in the meantime belongs to another program.
  if (!to.mayReplace) await checkFree(to, disk);
  await disk.rename(to.making, to.file);
  await disk.syncFolder(dirname(to.file));
}

/** A folder in place of another one: between two renames, readers find none. */
async function publishFolder(to: ExportFile, disk: Disk): Promise<void> {
  const { file, making } = to;
  await checkFree(to, disk);
  for (const path of await disk.files(making)) await disk.sync(join(making, path));
  const older = `${making}.older`;
  await disk.rename(file, older).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT')) throw error;
  });
  try {
    await disk.rename(making, file);
  } catch (error) {
    await disk.rename(older, file).catch(() => undefined);
    throw error;
  }
  await disk.remove(older);
  await disk.syncFolder(dirname(file));
}

/** Writes a text to the path, whole or not at all. Returns the path that was asked for. */
export async function writeWhole(
  file: string,
  text: string,
  options: Parameters<typeof destination>[1],
): Promise<string> {
  const place = await destination(file, options);
  try {
    await options.disk.write(place.making, text);
    await publish(place, options.disk);
  } finally {
    await options.disk.remove(place.making);
  }
  return place.file;
}
