import { createHash } from 'node:crypto';

/** A seed as 128 bits, spread over four 32-bit words. */
export type SeedWords = readonly [number, number, number, number];

/** A deterministic sequence of random words. */
export interface RandomWords {
  /** A whole number in [0, 2^32). */
  word(): number;
  /** A whole number in [0, bound); bound at most 2^32. */
  below(bound: number): number;
  /** True in `share` of all cases, share in [0, 1]. */
  chance(share: number): boolean;
}

const TWO_TO_32 = 4_294_967_296;
const WARM_UP_ROUNDS = 12;

/** The seed text as words; any text is a seed, and different texts give unrelated words. */
export function seedWords(seed: string): SeedWords {
  const digest = createHash('sha256').update(seed).digest();
  return [
    digest.readUInt32BE(0),
    digest.readUInt32BE(4),
    digest.readUInt32BE(8),
    digest.readUInt32BE(12),
  ];
}

/**
 * The words of one position in a stream. A stream has one purpose; a position is a height or an
 * index. The state has 128 bits (sfc32), so sequences of different positions never overlap in
 * practice. With 32 bits, two blocks of a long chain would soon share a hash.
 */
export function randomAt(seed: SeedWords, stream: number, position: number): RandomWords {
  let a = seed[0] ^ Math.imul(stream + 1, 0x9e3779b1);
  let b = seed[1] ^ (position >>> 0);
  let c = seed[2] ^ Math.imul(Math.floor(position / TWO_TO_32) + 1, 0x85ebca6b);
  let counter = seed[3] | 1;

  const word = (): number => {
    const next = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + next;
    return next >>> 0;
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) word();

  const below = (bound: number): number => Math.floor((word() / TWO_TO_32) * bound);
  return { word, below, chance: (share) => word() < share * TWO_TO_32 };
}

/** A single word of a position, cheaper than a sequence. */
export function wordAt(seed: SeedWords, stream: number, position: number): number {
  let x = seed[0] ^ Math.imul(stream + 1, 0x9e3779b1);
  for (const part of [position >>> 0, Math.floor(position / TWO_TO_32) ^ seed[1]]) {
    x = Math.imul(x ^ part, 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 15), 0xc2b2ae35);
    x ^= x >>> 13;
  }
  return x >>> 0;
}

const WORD_BYTES = 4;

/** The bytes of `words` random words, four for each. */
export function randomBytes(random: RandomWords, words: number): Buffer {
  const bytes = Buffer.allocUnsafe(words * WORD_BYTES);
  for (let at = 0; at < bytes.length; at += WORD_BYTES) bytes.writeUInt32BE(random.word(), at);
  return bytes;
}

/** `0x` and the hex digits of `words` random words, eight for each. */
function hexOf(random: RandomWords, words: number): string {
  return `0x${randomBytes(random, words).toString('hex')}`;
}

/** A random 32-byte hash. */
export function randomHash(random: RandomWords): string {
  return hexOf(random, 8);
}

/** A random 20-byte address. */
export function randomAddress(random: RandomWords): string {
  return hexOf(random, 5);
}

/** `length` random decimal digits that do not begin with a zero. */
export function randomDigits(random: RandomWords, length: number): string {
  let digits = String(1 + random.below(9));
  while (digits.length < length) digits += String(random.below(1e9)).padStart(9, '0');
  return digits.slice(0, length);
}

/** A random whole number in [0, bound), for bounds that do not fit a JavaScript number. */
export function bigBelow(random: RandomWords, bound: bigint): bigint {
  const word = BigInt(random.word());
  return (((word << 32n) | BigInt(random.word())) * bound) >> 64n;
}
