import type { Disk } from '../../src/land/storage/disk.ts';

/** Fails once and for all at the n-th operation that changes something, as if it were killed. */
export function dyingDisk(disk: Disk, killAt: number, error: Error): Disk {
  let count = 0;
  const alive = (): void => {
    count += 1;
    if (count >= killAt) throw error;
  };
  const dying: Disk = {
    ...disk,
    write: async (...file) => {
      alive();
      await disk.write(...file);
    },
    sync: async (path) => {
      alive();
      await disk.sync(path);
    },
    syncFolder: async (path) => {
      alive();
      await disk.syncFolder(path);
    },
    rename: async (from, to) => {
      alive();
      await disk.rename(from, to);
    },
    linkIfAbsent: async (from, to) => {
      alive();
      return disk.linkIfAbsent(from, to);
    },
    remove: async (path) => {
      alive();
      await disk.remove(path);
    },
  };
  return dying;
}
