import { hashBytes, isPackable, mayBePackable, PackedKeys } from './packed-keys.ts';

const NO_PARTS: readonly never[] = [];

/** The parts of a key, and whether one of them is not complete. */
export interface KeyParts<P> {
  readonly parts: readonly P[];
  readonly isOpen: boolean;
}

const WAITING = 65_536;

/**
 * The parts of every key of one list. An overlay reads the keys that it did not change itself from
 * its base, which must not change meanwhile: making one costs the same for any number of keys.
 *
 * Lists by hash have very many keys, so hashes are packed (`packed-keys.ts`) in a few runs: a newer
 * run counts before an older one, and is at most half as large.
 */
export class KeysOfList<P> {
  readonly #base: KeysOfList<P> | undefined;
  /** Without parts, where an overlay removed the key or an older run has it. */
  readonly #own = new Map<string, readonly P[]>();
  /** Own keys with an incomplete part. These are few, and merging looks for them often. */
  readonly #open = new Set<string>();
  /** Oldest first; an overlay has none. */
  readonly #runs: PackedKeys<KeyParts<P>>[] = [];
  /** Number of own keys that may be packable, since they were packed last. */
  #waiting = 0;
  readonly #most: number;

  /** At most `most` hashes wait as texts before they are packed. */
  constructor(base?: KeysOfList<P>, most = WAITING) {
    this.#base = base;
    this.#most = most;
  }

  get(key: string): readonly P[] {
    return this.#own.get(key) ?? this.#packedParts(key) ?? this.#base?.get(key) ?? NO_PARTS;
  }

  #packedParts(key: string): readonly P[] | undefined {
    const hash = this.#runs.length === 0 ? undefined : hashBytes(key);
    if (hash === undefined) return undefined;
    for (let run = this.#runs.length - 1; run >= 0; run -= 1) {
      const found = this.#runs[run]?.get(hash);
      if (found !== undefined) return found.parts;
    }
    return undefined;
  }

  has(key: string): boolean {
    return this.get(key).length > 0;
  }

  isEmpty(): boolean {
    const isOurs = (key: string): boolean => this.#own.has(key);
    for (const parts of this.#own.values()) if (parts.length > 0) return false;
    for (const key of this.#base?.keys() ?? []) if (!isOurs(key)) return false;
    for (const run of this.#runs) {
      for (let i = 0; i < run.size; i += 1) if (this.has(run.keyAt(i))) return false;
    }
    return true;
  }

  /** `isOpen`: some part is not complete. Callers know this for many keys at once. */
  set(key: string, parts: readonly P[], isOpen: boolean): void {
    const isNew = mayBePackable(key) && !this.#own.has(key);
    if (parts.length > 0 || this.#base !== undefined || this.#runs.length > 0) {
      this.#own.set(key, parts);
      if (isNew) this.#waiting += 1;
    } else if (this.#own.delete(key) && mayBePackable(key)) this.#waiting -= 1;
    if (isOpen) this.#open.add(key);
    else this.#open.delete(key);
  }

  /** Packs hashes if many wait. Must not be called while keys are read one after the other. */
  settle(): void {
    if (this.#base === undefined && this.#waiting >= this.#most) this.#pack();
  }

  /** The keys that are not packed, and the runs of the others after those that wait were packed. */
  packed(): { readonly keys: Iterable<[string, readonly P[]]>; readonly runs: readonly Run<P>[] } {
    if (this.#waiting > 0 && this.#base === undefined) this.#pack();
    return { keys: this.#own, runs: this.#runs };
  }

  /**
   * The keys that are not packed, and one run of all others. An overlay has no runs: undefined.
   * Must not be called while keys are read one after the other.
   */
  inOneRun():
    | { readonly keys: Iterable<[string, readonly P[]]>; readonly run: Run<P> | undefined }
    | undefined {
    if (this.#base !== undefined) return undefined;
    const { keys } = this.packed();
    return { keys, run: this.#merged() };
  }

  /** Adds hashes that were packed in order of their runs. */
  addRun(run: Run<P>): void {
    this.#runs.push(run);
  }

  #pack(): void {
    const values = new Map<readonly P[], KeyParts<P>>();
    const entries: [string, KeyParts<P>][] = [];
    for (const [key, parts] of this.#own) {
      if (!isPackable(key)) continue;
      const value = values.get(parts) ?? { parts, isOpen: this.#open.has(key) };
      values.set(parts, value);
      entries.push([key, value]);
    }
    for (const [key] of entries) {
      this.#own.delete(key);
      this.#open.delete(key);
    }
    this.#waiting = 0;
    let run = PackedKeys.of(entries);
    for (let last = this.#runs.at(-1); last !== undefined; last = this.#runs.at(-1)) {
      if (last.size > 2 * run.size) break;
      this.#runs.pop();
      run = PackedKeys.merged(last, run);
    }
    this.#runs.push(run);
  }

  *entries(): Generator<[key: string, parts: readonly P[]], void, undefined> {
    for (const [key, parts] of this.#base?.entries() ?? []) {
      if (!this.#own.has(key)) yield [key, parts];
    }
    for (const [key, { parts }] of this.#packedEntries()) {
      if (parts.length > 0 && !this.#own.has(key)) yield [key, parts];
    }
    for (const entry of this.#own) if (entry[1].length > 0) yield entry;
  }

  #packedEntries(): Iterable<[key: string, value: KeyParts<P>]> {
    return this.#merged()?.entries() ?? [];
  }

  /** Merges the runs into one, because finding each hash in all newer runs takes longer. */
  #merged(): Run<P> | undefined {
    const [first, ...more] = this.#runs.splice(0).reverse();
    if (first === undefined) return undefined;
    const merged = more.reduce((newer, older) => PackedKeys.merged(older, newer), first);
    this.#runs.push(merged);
    return merged;
  }

  /**
   * Parts with the number of keys that have them, without the keys, which are slow to unpack. A
   * packed key that has other parts since then counts in both.
   */
  *counts(): Generator<[parts: readonly P[], keys: number], void, undefined> {
    if (this.#base !== undefined) {
      for (const [, parts] of this.entries()) yield [parts, 1];
      return;
    }
    for (const run of this.#runs) for (const [{ parts }, keys] of run.counts()) yield [parts, keys];
    for (const parts of this.#own.values()) if (parts.length > 0) yield [parts, 1];
  }

  *keys(): Generator<string, void, undefined> {
    for (const [key] of this.entries()) yield key;
  }

  *openKeys(): Generator<string, void, undefined> {
    for (const key of this.#base?.openKeys() ?? []) if (!this.#own.has(key)) yield key;
    if (this.#runs.some(({ values }) => values.some(({ isOpen }) => isOpen))) {
      // Few hashes are open, and unpacking all of them is slow.
      for (const [{ isOpen }, hashes] of this.#merged()?.groups() ?? []) {
        for (const key of isOpen ? hashes.keys() : []) if (!this.#own.has(key)) yield key;
      }
    }
    yield* this.#open;
  }
}

type Run<P> = PackedKeys<KeyParts<P>>;
