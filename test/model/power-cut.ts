import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Disk, localDisk } from '../../src/land/storage/disk.ts';

/**
 * What a power cut may leave of a sequence of disk operations. Nothing is promised but this: a
 * file's bytes survive if it was synced after it was last written, and a name (of a file or of a
 * folder) survives if its folder was synced after the name was given. Everything else may or may
 * not be there.
 */
export type Operation =
  | { readonly do: 'make folder'; readonly path: string }
  /** `text` is known where it went through the disk; DuckDB writes past it. */
  | { readonly do: 'write'; readonly path: string; readonly text: string }
  | { readonly do: 'sync' | 'sync folder' | 'remove'; readonly path: string }
  | { readonly do: 'rename' | 'link'; readonly from: string; readonly to: string }
  /** Not an operation: the caller was told that this version is committed. */
  | { readonly do: 'tell'; readonly entry: string };

/** The local disk, with everything done to it put down in order. */
export function recordingDisk(operations: Operation[]): Disk {
  const digests = new Map<string, string>();
  /** Puts down what was written without our seeing it, so that a late write is not missed. */
  const notice = (path: string): void => {
    const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
    if (digests.get(path) !== digest) operations.push({ do: 'write', path, text: '' });
    digests.set(path, digest);
  };
  const moved = (from: string, to: string): void => {
    const digest = digests.get(from);
    if (digest !== undefined) digests.set(to, digest);
  };
  const disk: Disk = {
    ...localDisk,
    async makeFolder(path) {
      for (const made of missingFolders(path)) operations.push({ do: 'make folder', path: made });
      await localDisk.makeFolder.call(disk, path);
    },
    async write(path, content) {
      const parts =
        typeof content === 'string' || content instanceof Uint8Array ? [content] : [...content];
      const all = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
      await localDisk.write(path, all);
      operations.push({ do: 'write', path, text: all.toString() });
      digests.set(path, createHash('sha256').update(all).digest('hex'));
    },
    async sync(path) {
      notice(path);
      await localDisk.sync(path);
      operations.push({ do: 'sync', path });
    },
    async syncFolder(path) {
      await localDisk.syncFolder(path);
      operations.push({ do: 'sync folder', path });
    },
    async rename(from, to) {
      notice(from);
      await localDisk.rename(from, to);
      operations.push({ do: 'rename', from, to });
      moved(from, to);
    },
    async linkIfAbsent(from, to) {
      notice(from);
      const isOurs = await localDisk.linkIfAbsent(from, to);
      if (isOurs) operations.push({ do: 'link', from, to });
      moved(from, to);
      return isOurs;
    },
    async remove(path) {
      await localDisk.remove(path);
      operations.push({ do: 'remove', path });
    },
  };
  return disk;
}

function missingFolders(path: string): string[] {
  return existsSync(path) ? [] : [...missingFolders(dirname(path)), path];
}

interface Inode {
  text: string;
  isSynced: boolean;
}

interface Name {
  readonly inode: Inode;
  isSynced: boolean;
}

/** The disk as far as it is certain, and the log entries that may be there. */
class Remains {
  readonly names = new Map<string, Name>();
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The name and the bytes are there after a power cut, if the folder is. */
  isCertainIn(path: string): boolean {
    const name = this.names.get(path);
    return name?.isSynced === true && name.inode.isSynced;
  }

  /** A checkpoint of the entry's version or a later one is there, with its own entry. */
  hasStateFrom(entry: string): boolean {
    return [...this.names.keys()].some((path) => {
      const isLater = isState(path) && basename(path).slice(0, 20) >= basename(entry).slice(0, 20);
      const isOfLog = isLater && dirname(path) === dirname(entry);
      return isOfLog && this.isCertain(path) && this.isCertain(path.replace('.windrow', '.json'));
    });
  }

  /** It is there, with all the folders on the way to it. */
  isCertain(path: string): boolean {
    return path === this.#root || (this.isCertainIn(path) && this.isCertain(dirname(path)));
  }

  /** Applies one operation; returns what was wrong with it. */
  apply(operation: Operation): string[] {
    switch (operation.do) {
      case 'make folder':
        return this.#give(operation.path, { text: '', isSynced: true });
      case 'write':
        return this.#write(operation.path, operation.text);
      case 'sync': {
        const name = this.names.get(operation.path);
        if (name !== undefined) name.inode.isSynced = true;
        return [];
      }
      case 'sync folder':
        for (const [path, name] of this.names) {
          if (dirname(path) === operation.path) name.isSynced = true;
        }
        return [];
      case 'remove':
        this.names.delete(operation.path);
        if (!isEntry(operation.path) || this.hasStateFrom(operation.path)) return [];
        return [`${basename(operation.path)} was removed`];
      case 'rename':
      case 'link':
        return this.#name(operation);
      case 'tell':
        return [];
    }
  }

  #write(path: string, text: string): string[] {
    const entry = this.names.get(path);
    if (entry === undefined) return this.#give(path, { text, isSynced: false });
    entry.inode.isSynced = false;
    return isEntry(path) ? [`${basename(path)} was written again`] : [];
  }

  #name({ do: how, from, to }: Extract<Operation, { readonly from: string }>): string[] {
    const inode = this.names.get(from)?.inode ?? { text: '', isSynced: false };
    const wrong: string[] = [];
    if (isEntry(to) && how === 'rename') {
      wrong.push(`${basename(to)} was renamed into the log, which overwrites other writers`);
    }
    if (isEntry(to) && !inode.isSynced)
      wrong.push(`${basename(to)} was published before its bytes`);
    if (how === 'rename') this.names.delete(from);
    if (how === 'rename' && isOfCheckpoint(to)) {
      // Readers find the old file or the new one. Neither may be torn.
      if (!inode.isSynced) wrong.push(`${basename(to)} was renamed before its bytes`);
      this.names.delete(to);
    }
    return [...wrong, ...this.#give(to, inode)];
  }

  #give(path: string, inode: Inode): string[] {
    const wrong = this.names.has(path) ? [`${path} was given twice`] : [];
    this.names.set(path, { inode, isSynced: false });
    return wrong;
  }
}

function isEntry(path: string): boolean {
  return isInLog(path) && /^\d{20}\.json$/.test(basename(path));
}

function isInLog(path: string): boolean {
  return basename(dirname(path)) === '_delta_log';
}

function isState(path: string): boolean {
  return isInLog(path) && path.endsWith('.windrow');
}

/** Both parts of checkpoints, and the file that names the newest one. */
function isOfCheckpoint(path: string): boolean {
  const isNamed = /^(\d{20}\.checkpoint\.parquet|_last_checkpoint)$/.test(basename(path));
  return isState(path) || (isInLog(path) && isNamed);
}

/** Everything that some power cut between two operations would break; empty when all is well. */
export function breakages(operations: readonly Operation[], root: string): string[] {
  const remains = new Remains(root);
  const told: string[] = [];
  const findings = new Set<string>();
  operations.forEach((operation, i) => {
    const wrong = remains.apply(operation);
    if (operation.do === 'tell') told.push(operation.entry);
    for (const [path, { inode }] of remains.names) {
      if (isEntry(path)) wrong.push(...entryBreakages(remains, path, inode.text));
      else if (isOfCheckpoint(path)) wrong.push(...checkpointBreakages(remains, path, inode.text));
    }
    for (const entry of told) {
      if (!remains.isCertain(entry) && !remains.hasStateFrom(entry))
        wrong.push(`${basename(entry)} was told and may be lost`);
    }
    for (const finding of wrong) findings.add(`after ${i} ${operation.do}: ${finding}`);
  });
  return [...findings];
}

/** What may be missing when this entry is found after a power cut. */
function entryBreakages(remains: Remains, path: string, text: string): string[] {
  const wrong: string[] = [];
  const log = dirname(path);
  for (const file of addedFiles(text)) {
    if (remains.isCertainIn(join(dirname(log), file))) continue;
    wrong.push(`${basename(path)} refers to ${file}, which may be lost`);
  }
  for (let version = Number.parseInt(basename(path), 10) - 1; version >= 0; version -= 1) {
    const before = join(log, `${String(version).padStart(20, '0')}.json`);
    // Readers begin with that checkpoint.
    if (remains.hasStateFrom(join(log, `${String(version + 1).padStart(20, '0')}.json`))) break;
    if (remains.isCertainIn(before)) continue;
    wrong.push(`${basename(path)} may survive ${version}`);
  }
  return wrong;
}

/** What may be missing when this checkpoint, or the name of it, is found after a power cut. */
function checkpointBreakages(remains: Remains, path: string, text: string): string[] {
  const log = dirname(path);
  const isName = basename(path) === '_last_checkpoint';
  const named = isName ? /"version":(\d+)/.exec(text)?.[1] : undefined;
  const version = (named ?? basename(path).slice(0, 20)).padStart(20, '0');
  const needed = [
    `${version}.json`,
    ...(named === undefined ? [] : [`${version}.checkpoint.parquet`, `${version}.windrow`]),
  ];
  return needed
    .filter((name) => !remains.isCertainIn(join(log, name)))
    .map((name) => `${basename(path)} refers to ${name}, which may be lost`);
}

function addedFiles(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const { add } = JSON.parse(line) as { add?: { path: string } };
      return add === undefined ? [] : [add.path];
    });
}
