/** Values by key, of which those used longest ago give way. */
export class Recent<T> {
  readonly #values = new Map<string, { readonly value: T; size: number }>();
  readonly #mostSize: number;
  #size = 0;

  /** Keeps values up to this sum of their sizes, and always the newest one. */
  constructor(mostSize: number) {
    this.#mostSize = mostSize;
  }

  get(key: string): T | undefined {
    const entry = this.#values.get(key);
    if (entry === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, entry);
    return entry.value;
  }

  set(key: string, value: T, size: number): void {
    this.delete(key);
    this.#values.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#mostSize || oldest === key) return;
      this.delete(oldest);
    }
  }

  /** The values of some keys, within the same bound. */
  where(isKept: (key: string) => boolean): Recent<T> {
    const recent = new Recent<T>(this.#mostSize);
    for (const [key, { value, size }] of this.#values) {
      if (isKept(key)) recent.set(key, value, size);
    }
    return recent;
  }

  delete(key: string): void {
    this.#size -= this.#values.get(key)?.size ?? 0;
    this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
    this.#size = 0;
  }
}

/** A value that is computed on first use, and again after a failure. */
export function computedOnce<T>(
  kept: Recent<Promise<T>>,
  key: string,
  compute: () => Promise<T>,
): Promise<T> {
  const cached = kept.get(key);
  if (cached !== undefined) return cached;
  const value = compute();
  kept.set(key, value, 1);
  value.catch(() => {
    if (kept.get(key) === value) kept.delete(key);
  });
  return value;
}
