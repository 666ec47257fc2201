import { relative, resolve, sep } from 'node:path';
import type { Disk, PublishedFiles } from './published-files.ts';

/**
 * Folders of this machine whose published files lie elsewhere, such as in an object store. All
 * other files below such a folder are local: staging, the warehouse, copies of published files.
 */
export interface Mount extends PublishedFiles {
  /** Absolute path of the folder. */
  readonly folder: string;
  /** The address that users know it by. */
  readonly address: string;
  /** Publishes a file or a folder under another path, and removes the old one. */
  move(from: string, to: string): Promise<void>;
}

/** Folders of a data root with published files. */
const PUBLISHED = /^(lake|curated|runs|damaged)(\/|$)/;
/** State that all machines share; limits of sources and journals belong to one. */
const SHARED_STATE = /^state\/((root|labels|tokens|methods|alerts)\.json$|(alerts\.)?lock(\.|$))/;
/** A file that is being written. */
const UNFINISHED = /\/\.[^/]*$/;

const mounts = new Map<string, Mount>();

/** From now on, `localDisk` finds the published files below the folder in this place. */
export function mount(place: Mount): void {
  mounts.set(place.folder, place);
}

/** The mount that holds a path; undefined for files of this machine. */
function mountOf(path: string): Mount | undefined {
  if (mounts.size === 0) return undefined;
  const absolute = resolve(path);
  for (const place of mounts.values()) {
    if (absolute.startsWith(place.folder + sep) && isPublished(place.folder, absolute)) {
      return place;
    }
  }
  return undefined;
}

function isPublished(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return (PUBLISHED.test(inside) || SHARED_STATE.test(inside)) && !UNFINISHED.test(inside);
}

/** Whether any data root of this process lies elsewhere. */
export function hasMounts(): boolean {
  return mounts.size > 0;
}

/** Whether the file at this path is published elsewhere. */
export function isElsewhere(path: string): boolean {
  return mountOf(path) !== undefined;
}

/** Whether the published files of a data root lie elsewhere. */
export function isMounted(root: string): boolean {
  return mounts.has(resolve(root));
}

/** The address of a data root, as users give it; the path itself for one of this machine. */
export function addressOf(root: string): string {
  return mounts.get(resolve(root))?.address ?? root;
}

/** A text for users, in which published files have the addresses that others find them by. */
export function withAddresses(text: string): string {
  let shown = text;
  for (const { folder, address } of mounts.values()) {
    const name = folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const published = new RegExp(
      `${name}(?!/(?!lake|curated|runs|damaged|state/lock))(?![\\w.-])`,
      'g',
    );
    shown = shown.replace(published, () => address);
  }
  return shown;
}

/** A disk whose published files lie in mounts, where there are any. */
export function withMounts(disk: Disk): Disk {
  const at = (path: string): PublishedFiles => mountOf(path) ?? disk;
  return {
    ...disk,
    // Parts of these may be guarded (`underLock`): they call the others through `this`.
    async publish(...files) {
      const place = mountOf(files[0]?.[1] ?? '');
      await (place === undefined ? disk.publish.call(this, ...files) : place.publish(...files));
    },
    async publishIfAbsent(...file) {
      const place = mountOf(file[1]);
      return place === undefined
        ? disk.publishIfAbsent.call(this, ...file)
        : place.publishIfAbsent(...file);
    },
    async put(...file) {
      const place = mountOf(file[0]);
      await (place === undefined ? disk.put.call(this, ...file) : place.put(...file));
    },
    read: (path) => at(path).read(path),
    readBytes: (path) => at(path).readBytes(path),
    parts: (path, range) => at(path).parts(path, range),
    stat: (path) => at(path).stat(path),
    list: (path) => at(path).list(path),
    files: (path) => at(path).files(path),
    fetch: async (paths) => {
      const [first] = paths;
      if (first !== undefined) await at(first).fetch(paths);
    },
    renew: (folder) => at(folder).renew(folder),
    expect: (folder, digestOf) => at(folder).expect(folder, digestOf),
    remove: (path) => at(path).remove(path),
    syncFolder: async (path) => {
      if (mountOf(path) === undefined) await disk.syncFolder(path);
    },
    rename: async (from, to) => {
      const place = mountOf(from);
      if (place !== undefined) await place.move(from, to);
      else if (mountOf(to) !== undefined) await at(to).publish([from, to]);
      else await disk.rename(from, to);
    },
    linkIfAbsent: async (from, to) => {
      if (mountOf(to) === undefined) return disk.linkIfAbsent(from, to);
      await at(from).fetch([from]);
      return at(to).publishIfAbsent(from, to);
    },
  };
}
