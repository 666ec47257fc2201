import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { Disk } from './disk.ts';

/**
 * Replaces a small file so that a reader, also after a power cut, finds the old text or the new
 * one. The folder must exist.
 */
export async function replaceFile(disk: Disk, path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}.new`;
  try {
    await disk.write(aside, text);
    await disk.sync(aside);
    await disk.rename(aside, path);
  } catch (error) {
    await disk.remove(aside).catch(() => undefined);
    throw error;
  }
  await disk.syncFolder(dirname(path));
}
