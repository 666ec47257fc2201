/**
 * The keys of a table's log, numbered in the order in which entries first name them: an entry
 * writes a new key once, and later claims refer to its number.
 */
export class KeyNames {
  readonly #keys: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number that the next key gets. */
  get size(): number {
    return this.#keys.length;
  }

  all(): readonly string[] {
    return this.#keys;
  }

  /** Undefined for a number that no key has, or none that is known. */
  keyAt(number: number): string | undefined {
    return this.#keys[number];
  }

  numberOf(key: string): number | undefined {
    return this.#numbers.get(key);
  }

  /** Adds keys, numbered from `first` on. Numbers below it stay unknown if they were skipped. */
  add(first: number, keys: readonly string[]): void {
    for (const [i, key] of keys.entries()) {
      this.#keys[first + i] = key;
      this.#numbers.set(key, first + i);
    }
  }
}
