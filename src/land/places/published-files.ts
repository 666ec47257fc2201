import type { Writable } from 'node:stream';
import type { Interval } from '../../coverage/ranges.ts';

/** A text, bytes, or parts that are made one at a time. */
export type FileContent = string | Uint8Array | Iterable<string | Uint8Array>;

/** A finished file of this process, and the path at which others will find it. */
export type StagedFile = readonly [staged: string, path: string];

/** A new file that stays open. */
export interface OpenFile {
  writeFile(content: string | Uint8Array): Promise<void>;
  appendFile(content: string | Uint8Array): Promise<void>;
  write(text: string, position: number): Promise<unknown>;
  write(bytes: Uint8Array, start: number, length: number, position: number): Promise<unknown>;
  sync(): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
  createWriteStream(): Writable;
}

export interface FileFacts {
  /** Kind of the file, or of the one that a link leads to. */
  readonly kind: 'file' | 'folder' | 'other';
  readonly isLink: boolean;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** When it was read last, where `touch` keeps that. */
  readonly usedMs: number;
  readonly ownerId: number;
  /** Whether its owner alone may read it. */
  readonly isPrivate: boolean;
}

/** Size and sha256 of a data file, as the log of its table has them. */
export interface FileDigest {
  readonly sizeBytes: number;
  /** Undefined for files of other engines. */
  readonly sha256: string | undefined;
}

/**
 * Files that other processes find by their paths: data files, log entries, reports, state. A file
 * is whole or absent, and survives a power cut after the call that publishes it has returned.
 */
export interface PublishedFiles {
  /** Moves finished files to their paths, in place of older files. The folders must exist. */
  publish(...files: readonly StagedFile[]): Promise<void>;
  /**
   * Gives a finished file a path as well, unless a file with other bytes is there: then it returns
   * false. A file with these bytes is the result of an earlier call whose answer was lost.
   */
  publishIfAbsent(staged: string, path: string): Promise<boolean>;
  /** Publishes a small file, in place of an older one. `mode` has its permissions. */
  put(path: string, content: FileContent, mode?: number): Promise<void>;
  read(path: string): Promise<string>;
  readBytes(path: string): Promise<Buffer>;
  /** The bytes of a file, or of a range of it with both ends, in parts. */
  parts(path: string, range?: Interval): AsyncIterable<Uint8Array>;
  /** Undefined for a path without a file. */
  stat(path: string): Promise<FileFacts | undefined>;
  /** Names in the folder; empty if it does not exist. */
  list(path: string): Promise<string[]>;
  /** Sorted paths of all files below the folder, relative to it; empty if it does not exist. */
  files(path: string): Promise<string[]>;
  remove(path: string): Promise<void>;
  /** Brings data files of one data root to this machine, where DuckDB reads them by their paths. */
  fetch(paths: readonly string[]): Promise<void>;
  /** Drops the remembered names of a folder, before a commit is prepared. */
  renew(folder: string): void;
  /** Takes the digests of the data files in the folder of a table, for comparing fetched files. */
  expect(folder: string, digestOf: (name: string) => FileDigest | undefined): void;
}

/**
 * Files of one machine: staging, caches, exports, the warehouse. They survive a power cut only
 * after `sync` (the bytes) and `syncFolder` (the name) have returned.
 */
export interface LocalFiles {
  /** Makes the folder and its parents; they survive a power cut after this has returned. */
  makeFolder(path: string, mode?: number): Promise<void>;
  /** Opens a file that must not exist yet. */
  create(path: string, mode?: number): Promise<OpenFile>;
  /** Writes a file that must not exist yet. */
  write(path: string, content: FileContent, mode?: number): Promise<void>;
  /** Adds a text to the end of a file, which is made if it is not there. */
  append(path: string, text: string): Promise<void>;
  copy(from: string, to: string): Promise<void>;
  sync(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives the file a second name if that name is free (put-if-absent); false if it is taken. */
  linkIfAbsent(from: string, to: string): Promise<boolean>;
  /** The path without links. */
  realPath(path: string): Promise<string>;
  /** Whether this user can make files in a folder; true for a folder that is not there. */
  canWrite(path: string): Promise<boolean>;
  /** Throws the error of the operating system for a file that this user may not read. */
  checkReadable(path: string): Promise<void>;
  freeBytes(path: string): Promise<number>;
  /** Sets the times of a file [ms since the Unix epoch]. */
  touch(path: string, usedMs: number, modifiedMs: number): Promise<void>;
}

/** The files of a lake, and those of the processes that work on it. */
export interface Disk extends PublishedFiles, LocalFiles {}
