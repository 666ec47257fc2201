const NO_PARTS: readonly never[] = [];

/**
 * The parts of every key of one list. An overlay reads the keys that it did not change itself from
 * its base, which must not change meanwhile: making one costs the same for any number of keys.
 */
export class KeysOfList<P> {
  readonly #base: KeysOfList<P> | undefined;
  /** Without parts where an overlay removed the key. */
  readonly #parts = new Map<string, readonly P[]>();
  /** Own keys with an incomplete part. These are few, and merging looks for them often. */
  readonly #open = new Set<string>();

  constructor(base?: KeysOfList<P>) {
    this.#base = base;
  }

  get(key: string): readonly P[] {
    return this.#parts.get(key) ?? this.#base?.get(key) ?? NO_PARTS;
  }

  has(key: string): boolean {
    return this.get(key).length > 0;
  }

  isEmpty(): boolean {
    return this.keys().next().done === true;
  }

  /** `isOpen`: some part is not complete. Callers know this for many keys at once. */
  set(key: string, parts: readonly P[], isOpen: boolean): void {
    if (parts.length > 0 || this.#base !== undefined) this.#parts.set(key, parts);
    else this.#parts.delete(key);
    if (isOpen) this.#open.add(key);
    else this.#open.delete(key);
  }

  *entries(): Generator<[key: string, parts: readonly P[]], void, undefined> {
    for (const [key, parts] of this.#base?.entries() ?? []) {
      if (!this.#parts.has(key)) yield [key, parts];
    }
    for (const entry of this.#parts) if (entry[1].length > 0) yield entry;
  }

  *keys(): Generator<string, void, undefined> {
    for (const [key] of this.entries()) yield key;
  }

  *openKeys(): Generator<string, void, undefined> {
    for (const key of this.#base?.openKeys() ?? []) if (!this.#parts.has(key)) yield key;
    yield* this.#open;
  }
}
