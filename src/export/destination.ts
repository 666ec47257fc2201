import { randomUUID } from 'node:crypto';
import { copyFile, lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { Fault } from '../fault.ts';
import { type Disk, isCode } from '../land/storage/disk.ts';
import type { Layout } from '../land/storage/layout.ts';

/** The final path of a file, and its path while it is written. */
export interface ExportFile {
  readonly file: string;
  /** Below the data root: connections to the warehouse can write only there. */
  readonly making: string;
  readonly mayReplace: boolean;
}

/** The default folder of exports. */
export function exportsFolder({ root }: Layout): string {
  return join(root, 'exports');
}

/**
 * Checks the path for a file, and creates the default folder of exports if it is there. Throws
 * Fault('usage') if the folder does not exist, if it is one of the data root's own folders, and if
 * the path is taken and may not be replaced.
 */
export async function destination(
  given: string,
  options: { readonly layout: Layout; readonly disk: Disk; readonly mayReplace: boolean },
): Promise<ExportFile> {
  const { layout, disk, mayReplace } = options;
  const file = resolve(given);
  const exports = resolve(exportsFolder(layout));
  if (dirname(file) === exports) await disk.makeFolder(exports);
  const folder = await realpath(dirname(file)).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'ENOTDIR')) throw error;
    throw new Fault('usage', 'The folder of the file to write does not exist.', {
      where: dirname(file),
      advice: 'Create it, or give another path with --out FILE.',
    });
  });
  const isExport = isWithin(exports, dirname(file));
  if (!isExport && isWithin(await realpath(layout.root), folder)) {
    throw new Fault('usage', 'The path lies among the files of the data root itself.', {
      where: given,
      advice: `Write to ${exportsFolder(layout)}, or to a folder outside the data root.`,
    });
  }
  await checkFree(file, mayReplace);
  if (!isExport) await disk.makeFolder(layout.staging);
  const beside = isExport ? dirname(file) : resolve(layout.staging);
  return { file, making: join(beside, `.${basename(file)}.${randomUUID()}`), mayReplace };
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

async function checkFree(file: string, mayReplace: boolean): Promise<void> {
  const found = await lstat(file).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isFile()) {
    throw new Fault('usage', 'The path to write to is not a plain file.', {
      where: file,
      advice: 'Give another path with --out FILE.',
    });
  }
  if (!mayReplace) throw isThere(file);
}

function isThere(file: string): Fault {
  return new Fault('usage', 'The file to write exists already.', {
    where: file,
    advice: 'Replace it with --force, or give another path with --out FILE.',
  });
}

/** Renames a finished file, so that readers find it whole or not at all. */
export async function publish(to: ExportFile, disk: Disk): Promise<void> {
  await disk.sync(to.making);
  const beside = join(dirname(to.file), `.${basename(to.making)}`);
  try {
    await name(to.making, to, disk);
  } catch (error) {
    // A rename cannot cross file systems, but a copy beside the final path can be renamed.
    if (!isCode(error, 'EXDEV')) throw error;
    await copyFile(to.making, beside);
    await disk.sync(beside);
    await name(beside, to, disk);
  } finally {
    await disk.remove(beside);
    await disk.remove(to.making);
  }
  await disk.syncFolder(dirname(to.file));
}

async function name(from: string, { file, mayReplace }: ExportFile, disk: Disk): Promise<void> {
  // A file that has appeared there in the meantime belongs to another program.
  if (!mayReplace) await checkFree(file, false);
  await disk.rename(from, file);
}
