import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Fault } from '../../../fault.ts';
import type { Disk } from '../../../land/storage/disk.ts';
import { systemFault } from '../../../land/storage/disk-fault.ts';

const BYTES = 'windrow tries a commit '.repeat(4096);

/**
 * Carries out each operation of a commit in a new folder below `root`, and removes the folder.
 * Throws Fault('lake') for an operation that fails, or that does something else.
 */
export async function probeDisk(disk: Disk, root: string): Promise<void> {
  const folder = join(root, `.windrow-doctor-${randomUUID()}`);
  const staged = join(folder, 'staged');
  const file = join(folder, 'file');
  const entry = join(folder, 'entry');
  try {
    await disk.makeFolder(folder);
    for (let i = 0; i < 2; i += 1) {
      await disk.write(staged, BYTES);
      // The second time, the new name replaces a file.
      await disk.publish([staged, file]);
    }
    if (!(await disk.readBytes(file)).equals(Buffer.from(BYTES))) {
      throw unusable(root, 'does not return the bytes that were written');
    }
    if (!(await disk.linkIfAbsent(file, entry)) || (await disk.linkIfAbsent(file, entry))) {
      throw unusable(root, 'gives a name to two files');
    }
  } catch (error) {
    throw systemFault(error, root);
  } finally {
    await disk.remove(folder).catch(() => undefined);
  }
}

function unusable(root: string, reason: string): Fault {
  return new Fault('lake', `This file system ${reason}.`, {
    where: root,
    advice: 'Put the data root on a local disk.',
  });
}
