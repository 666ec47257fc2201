import { Chance } from '../model/chance.ts';

/** Chance that can be keyed by labels. */
export class Random extends Chance {
  #state: number;

  constructor(seed: number) {
    super(seed);
    this.#state = scrambled(seed | 0);
  }

  /** A generator of its own for each combination of labels, whatever was drawn before. */
  static keyed(seed: number, ...labels: readonly (string | number)[]): Random {
    let state = scrambled(seed | 0);
    for (const character of labels.join('\u0000')) {
      state = scrambled(state ^ (character.codePointAt(0) ?? 0));
    }
    return new Random(state);
  }

  /** In [0, 1). */
  override next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return (scrambled(this.#state) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.is(probability);
  }

  shuffled<T>(values: readonly T[]): T[] {
    const result = [...values];
    for (let i = result.length - 1; i > 0; i -= 1) {
      const j = this.between(0, i);
      const [a, b] = [result[i], result[j]];
      if (a === undefined || b === undefined) continue;
      result[i] = b;
      result[j] = a;
    }
    return result;
  }
}

/** The finaliser of murmur3, over 32 bits. */
export function scrambled(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** Lower-case hex of `digits` digits, different for different labels. */
export function hexOf(digits: number, ...labels: readonly (string | number)[]): string {
  const random = Random.keyed(0x51ed, ...labels);
  let text = '';
  while (text.length < digits) {
    text += Math.floor(random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  }
  return `0x${text.slice(0, digits)}`;
}
