/**
 * Hashes of 32 bytes as bytes, in ascending order, each with the number of its value: 36 bytes per
 * hash, where a map of texts takes some hundred. Immutable.
 */

const PACKABLE = /^0x[0-9a-f]{64}$/;
const HASH_BYTES = 32;
const NUMBER_BYTES = 4;
/** A look-up compares only hashes that begin with the same two bytes. */
const BUCKETS = 2 ** 16;
/** Bytes of one hash with the number of its value. */
const PACKED_BYTES = HASH_BYTES + NUMBER_BYTES;

/** Hashes are sorted by numbers of 53 bits: their first 32 bits and a position. */
const MOST_SORTED = 2 ** 21;

export function isPackable(key: string): boolean {
  return mayBePackable(key) && PACKABLE.test(key);
}

/** False for most keys that are not packable; quicker than `isPackable`. */
export function mayBePackable(key: string): boolean {
  return key.length === 66;
}

/** The bytes of a hash; undefined for other keys. */
export function hashBytes(key: string): Buffer | undefined {
  return isPackable(key) ? Buffer.from(key.slice(2), 'hex') : undefined;
}

/** The hashes that have one value. */
export interface HashesOfValue {
  /** Unpacks them. */
  readonly keys: () => string[];
}

export class PackedKeys<V> {
  /** All hashes, then all numbers of values (32 bits, little-endian). */
  readonly bytes: Buffer;
  readonly values: readonly V[];
  readonly size: number;
  readonly #numbersAt: number;
  /** Made on first use. */
  #starts: Uint32Array | undefined;

  /** The bytes are shared, not copied. Throws RangeError unless they are those of whole hashes. */
  constructor(bytes: Buffer, values: readonly V[]) {
    if (bytes.length % PACKED_BYTES !== 0) throw new RangeError('half a hash');
    this.bytes = bytes;
    this.values = values;
    this.size = bytes.length / PACKED_BYTES;
    this.#numbersAt = this.size * HASH_BYTES;
  }

  /** Packs hashes, which must be packable and different. */
  static of<V>(entries: readonly (readonly [key: string, value: V])[]): PackedKeys<V> {
    if (entries.length > MOST_SORTED) {
      const rest = PackedKeys.of(entries.slice(MOST_SORTED));
      return PackedKeys.merged(PackedKeys.of(entries.slice(0, MOST_SORTED)), rest);
    }
    const unsorted = new Packing<V>(entries.length);
    for (const [key, value] of entries) unsorted.addText(key, value);
    const from = unsorted.packed();
    const made = new Packing<V>(entries.length);
    for (const i of from.#order()) made.add(from, i);
    return made.packed();
  }

  /** The positions of unsorted hashes in ascending order. Numbers are sorted faster than texts. */
  #order(): Float64Array {
    const order = new Float64Array(this.size);
    for (let i = 0; i < this.size; i += 1) {
      order[i] = this.bytes.readUInt32BE(i * HASH_BYTES) * MOST_SORTED + i;
    }
    order.sort();
    for (const [at, each] of order.entries()) {
      const i = each % MOST_SORTED;
      let to = at;
      // Few hashes begin with the same bytes.
      for (; to > 0 && this.#compare(order[to - 1] ?? 0, this, i) > 0; to -= 1) {
        order[to] = order[to - 1] ?? 0;
      }
      order[to] = i;
    }
    return order;
  }

  /** The hashes of both, with the value in `newer` where it has one. */
  static merged<V>(older: PackedKeys<V>, newer: PackedKeys<V>): PackedKeys<V> {
    const made = new Packing<V>(older.size + newer.size);
    let i = 0;
    for (let j = 0; j < newer.size; j += 1) {
      while (i < older.size && older.#compare(i, newer, j) < 0) i = made.add(older, i);
      if (i < older.size && older.#compare(i, newer, j) === 0) i += 1;
      made.add(newer, j);
    }
    while (i < older.size) i = made.add(older, i);
    return made.packed();
  }

  /** The value of a hash, given as its bytes. */
  get(wanted: Buffer): V | undefined {
    const start = wanted.readUInt32BE(0);
    const starts = this.#startsOf();
    const bucket = wanted.readUInt16BE(0);
    let low = starts[bucket] ?? 0;
    let high = starts[bucket + 1] ?? 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = middle * HASH_BYTES;
      const difference =
        this.bytes.readUInt32BE(at) - start ||
        this.bytes.compare(wanted, 0, HASH_BYTES, at, at + HASH_BYTES);
      if (difference === 0) return this.valueAt(middle);
      if (difference < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /** The first position of hashes that begin with each two bytes, and the end. */
  #startsOf(): Uint32Array {
    if (this.#starts !== undefined) return this.#starts;
    const starts = new Uint32Array(BUCKETS + 1);
    for (let i = 0; i < this.size; i += 1) {
      const after = this.bytes.readUInt16BE(i * HASH_BYTES) + 1;
      starts[after] = (starts[after] ?? 0) + 1;
    }
    this.#starts = summed(starts);
    return this.#starts;
  }

  /** All hashes with their values, in the order of the values. */
  *entries(): Generator<[key: string, value: V], void, undefined> {
    for (const i of this.#orderOfValues().order) yield [this.keyAt(i), this.valueAt(i)];
  }

  /** The values with their hashes, which are unpacked when they are asked for. */
  *groups(): Generator<[value: V, hashes: HashesOfValue], void, undefined> {
    const { order, ends } = this.#orderOfValues();
    for (const [number, value] of this.values.entries()) {
      const positions = order.subarray(ends[number - 1] ?? 0, ends[number]);
      if (positions.length === 0) continue;
      yield [value, { keys: () => Array.from(positions, (i) => this.keyAt(i)) }];
    }
  }

  /** The positions of all hashes in the order of their values, and the end of each value. */
  #orderOfValues(): { readonly order: Uint32Array; readonly ends: Uint32Array } {
    const ends = new Uint32Array(this.values.length + 1);
    for (let i = 0; i < this.size; i += 1) {
      const after = this.#numberAt(i) + 1;
      ends[after] = (ends[after] ?? 0) + 1;
    }
    summed(ends);
    const order = new Uint32Array(this.size);
    for (let i = 0; i < this.size; i += 1) {
      const number = this.#numberAt(i);
      const at = ends[number] ?? 0;
      order[at] = i;
      ends[number] = at + 1;
    }
    return { order, ends };
  }

  /** The values with the number of their hashes. */
  *counts(): Generator<[value: V, hashes: number], void, undefined> {
    const counts = this.values.map(() => 0);
    for (let i = 0; i < this.size; i += 1) {
      const number = this.#numberAt(i);
      counts[number] = (counts[number] ?? 0) + 1;
    }
    for (const [number, value] of this.values.entries()) yield [value, counts[number] ?? 0];
  }

  keyAt(i: number): string {
    return `0x${this.bytes.toString('hex', i * HASH_BYTES, (i + 1) * HASH_BYTES)}`;
  }

  valueAt(i: number): V {
    const value = this.values[this.#numberAt(i)];
    if (value === undefined) throw new RangeError(`no value ${this.#numberAt(i)}`);
    return value;
  }

  #numberAt(i: number): number {
    return this.bytes.readUInt32LE(this.#numbersAt + i * NUMBER_BYTES);
  }

  #compare(i: number, other: PackedKeys<V>, j: number): number {
    const a = i * HASH_BYTES;
    const b = j * HASH_BYTES;
    return (
      this.bytes.readUInt32BE(a) - other.bytes.readUInt32BE(b) ||
      this.bytes.compare(other.bytes, b, b + HASH_BYTES, a, a + HASH_BYTES)
    );
  }
}

/** Turns numbers of hashes into the positions after them. Changes the array. */
function summed(counts: Uint32Array): Uint32Array {
  for (let n = 1; n < counts.length; n += 1) counts[n] = (counts[n] ?? 0) + (counts[n - 1] ?? 0);
  return counts;
}

/** Hashes that are packed one after the other, in ascending order. */
class Packing<V> {
  readonly #bytes: Buffer;
  readonly #numbersAt: number;
  readonly #values: V[] = [];
  readonly #numbers = new Map<V, number>();
  /** The number of the newest value. */
  #last = 0;
  #size = 0;

  /** With room for this number of hashes. */
  constructor(room: number) {
    this.#bytes = Buffer.allocUnsafeSlow(room * PACKED_BYTES);
    this.#numbersAt = room * HASH_BYTES;
  }

  addText(key: string, value: V): void {
    this.#bytes.write(key.slice(2), this.#size * HASH_BYTES, 'hex');
    this.#number(value);
  }

  /** Returns the position after `i`. */
  add(from: PackedKeys<V>, i: number): number {
    const at = this.#size * HASH_BYTES;
    for (let word = 0; word < HASH_BYTES; word += 4) {
      this.#bytes.writeInt32LE(from.bytes.readInt32LE(i * HASH_BYTES + word), at + word);
    }
    this.#number(from.valueAt(i));
    return i + 1;
  }

  #number(value: V): void {
    // Neighbours often have the same.
    if (this.#size === 0 || value !== this.#values[this.#last]) {
      this.#last = this.#numbers.get(value) ?? this.#values.push(value) - 1;
      this.#numbers.set(value, this.#last);
    }
    this.#bytes.writeUInt32LE(this.#last, this.#numbersAt + this.#size * NUMBER_BYTES);
    this.#size += 1;
  }

  packed(): PackedKeys<V> {
    const end = this.#size * HASH_BYTES;
    const numbers = this.#size * NUMBER_BYTES;
    this.#bytes.copyWithin(end, this.#numbersAt, this.#numbersAt + numbers);
    return new PackedKeys(this.#bytes.subarray(0, end + numbers), this.#values);
  }
}
