/** Chance from a seed: the same seed gives the same choices, on every machine. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0;
  }

  /** Evenly spread in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Whether something happens that happens so often. */
  is(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.next() * from.length)];
    if (picked === undefined) throw new RangeError('there is nothing to pick from');
    return picked;
  }

  /** Some of them, at least `least`, in their own order. */
  some<T>(from: readonly T[], least = 1): T[] {
    const wanted = this.between(Math.min(least, from.length), from.length);
    const kept = [...from.keys()];
    while (kept.length > wanted) kept.splice(this.between(0, kept.length - 1), 1);
    return from.filter((_, i) => kept.includes(i));
  }

  /** A chance of its own, so that what uses it changes nothing for the others. */
  apart(): Chance {
    return new Chance(Math.floor(this.next() * 2 ** 32));
  }
}
