import { createHash } from 'node:crypto';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Interval } from '../../coverage/ranges.ts';
import { Fault } from '../../fault.ts';
import type { Listings } from './listings.ts';
import type { LocalCopies } from './local-copies.ts';
import type { Mount } from './mounts.ts';
import type { ObjectFacts, ObjectStore } from './object-store.ts';
import type { Disk, FileContent, FileDigest, FileFacts, StagedFile } from './published-files.ts';

/** Files that never change under their names: data files, log entries, checkpoints, the marker. */
const FIXED = /^((lake|curated)\/.|state\/root\.json$)/;
/** The only file of a table that is replaced. */
const LAST_CHECKPOINT = '_last_checkpoint';
const CHANGED_ADVICE = {
  text: 'Restore this version of the object, or fetch its rows again.',
  command: 'windrow verify PIPELINE --repair',
};
const LAST_REPORT = 'runs/last_run.json';
/** Objects that are fetched at the same time. */
const FETCHES = 8;

interface ObjectPlace {
  readonly store: ObjectStore;
  readonly disk: Disk;
  readonly copies: LocalCopies;
  readonly listings: Listings;
}

/**
 * Published files as objects. Their paths are those of copies on this machine, which DuckDB reads
 * after `fetch`. An object is durable and visible to all once its request has been answered.
 */
export class ObjectFiles implements Mount {
  readonly folder: string;
  readonly address: string;
  readonly #store: ObjectStore;
  readonly #disk: Disk;
  readonly #copies: LocalCopies;
  readonly #listings: Listings;
  /** Reports, as they were listed last. */
  readonly #listed = new Map<string, ObjectFacts>();
  /** Digests of data files, by the folder of their table. */
  readonly #tables = new Map<string, (name: string) => FileDigest | undefined>();

  constructor(
    place: { readonly folder: string; readonly address: string },
    { store, disk, copies, listings }: ObjectPlace,
  ) {
    this.folder = resolve(place.folder);
    this.address = place.address;
    this.#store = store;
    this.#disk = disk;
    this.#copies = copies;
    this.#listings = listings;
  }

  async publish(...files: readonly StagedFile[]): Promise<void> {
    for (const [staged, path] of files) {
      const body = await this.#disk.readBytes(staged);
      await this.#send(path, body);
      await this.#copies.adopt(staged, path, body.length);
    }
  }

  async publishIfAbsent(staged: string, path: string): Promise<boolean> {
    const body = await this.#disk.readBytes(staged);
    if (!(await this.#store.putIfAbsent(this.#key(path), body))) return false;
    this.#listings.note(this.#key(path), body.length);
    if (this.#isFixed(path)) await this.#copies.keep(path, body);
    return true;
  }

  async put(path: string, content: FileContent): Promise<void> {
    const parts =
      typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
    const body = Buffer.concat([...parts].map((part) => Buffer.from(part)));
    const key = this.#key(path);
    // The copy of the last report stands for the state of the lake that the warehouse here shows.
    const isSeen = key === LAST_REPORT && (await this.#isSeen(path));
    await this.#send(path, body);
    this.#listed.delete(key);
    if (isSeen) await this.#copies.keep(path, body);
  }

  /** Whether the copy here has the bytes of the object. */
  async #isSeen(path: string): Promise<boolean> {
    const [object, copy] = [await this.#store.get(this.#key(path)), await this.#disk.stat(path)];
    if (object === undefined || copy === undefined) return object === copy;
    return object.equals(await this.#disk.readBytes(path));
  }

  async read(path: string): Promise<string> {
    return (await this.readBytes(path)).toString('utf8');
  }

  async readBytes(path: string): Promise<Buffer> {
    if (this.#isFixed(path) && (await this.#copies.use(path))) return this.#disk.readBytes(path);
    const listed = this.#listed.get(this.#key(path));
    if (listed !== undefined && (await this.#isCopyOf(path, listed))) {
      return this.#disk.readBytes(path);
    }
    const body = await this.#body(path);
    if (this.#isFixed(path)) await this.#copies.keep(path, body);
    if (listed?.bytes === body.length) await this.#copies.keep(path, body, listed.modifiedMs);
    return body;
  }

  async *parts(path: string, range?: Interval): AsyncIterable<Uint8Array> {
    yield await this.#body(path, range);
  }

  async stat(path: string): Promise<FileFacts | undefined> {
    // Folders are not objects, and names of files have a dot or lie in `state`.
    if (isFolder(this.#key(path))) return undefined;
    const key = this.#key(path);
    const isOfTable = FIXED.test(key);
    const facts = await (isOfTable ? this.#listings.factsOf(key) : this.#store.facts(key));
    if (facts === undefined) return undefined;
    const { bytes, modifiedMs } = facts;
    const times = { modifiedMs, usedMs: modifiedMs };
    return { kind: 'file', isLink: false, bytes, ...times, ownerId: 0, isPrivate: false };
  }

  async list(path: string): Promise<string[]> {
    const folder = `${this.#key(path)}/`;
    const objects = FIXED.test(folder.slice(0, -1))
      ? [...(await this.#listings.in(folder)).values()]
      : await this.#store.list(folder, 'folder');
    const isOfReports = folder === 'runs/';
    for (const facts of isOfReports ? objects : []) this.#listed.set(facts.key, facts);
    this.#listed.delete(LAST_REPORT);
    return objects.map(({ key }) => key.slice(folder.length).replace(/\/$/, ''));
  }

  async files(path: string): Promise<string[]> {
    const folder = `${this.#key(path)}/`;
    return (await this.#store.list(folder, 'all'))
      .map(({ key }) => key.slice(folder.length))
      .sort();
  }

  async fetch(paths: readonly string[]): Promise<void> {
    const waiting = [...paths];
    const fetchNext = async (): Promise<void> => {
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
        const digest = this.#tables.get(resolve(dirname(path)))?.(basename(path));
        if (!(await this.#copies.use(path, digest?.sizeBytes))) await this.#fetchFile(path, digest);
      }
    };
    await Promise.all(Array.from({ length: FETCHES }, fetchNext));
  }

  /** A missing object is left to its reader, whose error leads to the damage. */
  async #fetchFile(path: string, { sha256 }: Partial<FileDigest> = {}): Promise<void> {
    const body = await this.#store.get(this.#key(path));
    if (body === undefined) return;
    if (sha256 !== undefined && createHash('sha256').update(body).digest('hex') !== sha256) {
      const message = 'The object was changed: its sha256 differs from the one in the log.';
      throw new Fault('lake', message, { where: path, advice: CHANGED_ADVICE });
    }
    await this.#copies.keep(path, body);
  }

  expect(folder: string, digestOf: (name: string) => FileDigest | undefined): void {
    this.#tables.set(resolve(folder), digestOf);
  }

  async remove(path: string): Promise<void> {
    const key = this.#key(path);
    const isWhole = isFolder(key);
    const objects = isWhole ? await this.#store.list(`${key}/`, 'all') : [{ key }];
    for (const object of objects) {
      await this.#store.delete(object.key);
      this.#listings.note(object.key, undefined);
    }
    await this.#disk.remove(path);
  }

  async move(from: string, to: string): Promise<void> {
    const inside = isFolder(this.#key(from)) ? await this.files(from) : [''];
    for (const name of inside) {
      // Never copied by the store: its copies know no conditions.
      await this.#send(join(to, name), await this.#body(join(from, name)));
      await this.remove(join(from, name));
    }
  }

  renew(folder: string): void {
    this.#listings.renew(`${this.#key(folder)}/`);
  }

  async #send(path: string, body: Buffer): Promise<void> {
    await this.#store.put(this.#key(path), body);
    this.#listings.note(this.#key(path), body.length);
  }

  async #body(path: string, range?: Interval): Promise<Buffer> {
    const body = await this.#store.get(this.#key(path), range);
    if (body !== undefined) return body;
    const message = `ENOENT: no such object, ${this.address}/${this.#key(path)}`;
    throw Object.assign(new Error(message), { code: 'ENOENT', path });
  }

  async #isCopyOf(path: string, { bytes, modifiedMs }: ObjectFacts): Promise<boolean> {
    const copy = await this.#disk.stat(path);
    return copy?.bytes === bytes && Math.abs(copy.modifiedMs - modifiedMs) < 1;
  }

  #key(path: string): string {
    return relative(this.folder, resolve(path)).replaceAll('\\', '/');
  }

  #isFixed(path: string): boolean {
    return FIXED.test(this.#key(path)) && basename(path) !== LAST_CHECKPOINT;
  }
}

/** Whether a key is that of a folder: names of files have a dot, but for those in `state`. */
function isFolder(key: string): boolean {
  if (key.startsWith('state/') || basename(key) === LAST_CHECKPOINT) return false;
  return !basename(key).includes('.');
}
