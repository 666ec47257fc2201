import { randomUUID } from 'node:crypto';
import { copyFile, lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { Fault } from '../fault.ts';
import { type Disk, isCode } from '../land/storage/disk.ts';
import type { Layout } from '../land/storage/layout.ts';

/** Where one file goes, and where it lies until it is whole. */
export interface ExportFile {
  readonly file: string;
  /** Under the data root: what reads the warehouse can write nowhere else. */
  readonly making: string;
  readonly mayReplace: boolean;
}

/** Where exports lie that are given no place of their own. */
export function exportsFolder({ root }: Layout): string {
  return join(root, 'exports');
}

/**
 * Checks the place for a file, and makes the folder of exports where it is that. Fault('usage')
 * where there is no such folder, where it is the lake's or another of the data root's own, and
 * where something lies that may not be replaced.
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
    throw new Fault('usage', 'The folder of the file to write is not there.', {
      where: dirname(file),
      advice: 'Make it, or give another place with --out FILE.',
    });
  });
  const isExport = isWithin(exports, dirname(file));
  if (!isExport && isWithin(await realpath(layout.root), folder)) {
    throw new Fault('usage', 'The place lies among the files of the data root itself.', {
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
    throw new Fault('usage', 'Something that is no plain file lies at the place to write to.', {
      where: file,
      advice: 'Give another place with --out FILE.',
    });
  }
  if (!mayReplace) throw isThere(file);
}

function isThere(file: string): Fault {
  return new Fault('usage', 'The file to write is there already.', {
    where: file,
    advice: 'Replace it with --force, or give another place with --out FILE.',
  });
}

/** Gives a finished file its name, so that whoever looks finds it whole or not at all. */
export async function publish(to: ExportFile, disk: Disk): Promise<void> {
  await disk.sync(to.making);
  const beside = join(dirname(to.file), `.${basename(to.making)}`);
  try {
    await name(to.making, to, disk);
  } catch (error) {
    // A rename does not leave its file system; a copy beside the place can be renamed there.
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
  // What has appeared there in the meantime is somebody else's.
  if (!mayReplace) await checkFree(file, false);
  await disk.rename(from, file);
}
