import type { Disk } from '../../src/land/storage/disk.ts';

/** A disk that waits for `before` in front of each operation that changes it. */
export function watchedDisk(disk: Disk, before: () => Promise<void> | void): Disk {
  const after =
    <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await before();
      return run(...args);
    };
  return {
    ...disk,
    makeFolder: after((path) => disk.makeFolder(path)),
    write: after(disk.write),
    sync: after(disk.sync),
    syncFolder: after(disk.syncFolder),
    rename: after(disk.rename),
    linkIfAbsent: after(disk.linkIfAbsent),
    remove: after(disk.remove),
  };
}
