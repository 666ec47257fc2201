import { DuckDBBlobValue, type DuckDBValue } from '@duckdb/node-api';
import { Fault } from '../../fault.ts';

/** The Arrow buffers of one column of a batch: little-endian, growing. */

const START_BYTES = 16 * 1024;

/** One bit per cell, least significant bit first. */
export class Bits {
  #bytes = new Uint8Array(START_BYTES);
  #length = 0;
  #unset = 0;

  get length(): number {
    return this.#length;
  }

  get unset(): number {
    return this.#unset;
  }

  push(isSet: boolean): void {
    const at = this.#length >> 3;
    this.#bytes = withRoom(this.#bytes, at + 1);
    if (isSet) this.#bytes[at] = (this.#bytes[at] ?? 0) | (1 << (this.#length & 7));
    else this.#unset += 1;
    this.#length += 1;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, (this.#length + 7) >> 3);
  }
}

/** The values of a column, cell after cell. */
export interface ColumnValues {
  readonly sizeBytes: number;
  push(value: DuckDBValue): void;
  /** The buffers by the names that Arrow gives them. */
  buffers(): { readonly data: Uint8Array; readonly valueOffsets?: Int32Array };
}

export class BooleanValues implements ColumnValues {
  readonly #bits = new Bits();

  get sizeBytes(): number {
    return this.#bits.length / 8;
  }

  push(value: DuckDBValue): void {
    this.#bits.push(value === true);
  }

  buffers() {
    return { data: this.#bits.bytes() };
  }
}

/** Puts a value into a view at an offset. */
export type Put = (view: DataView, at: number, value: DuckDBValue) => void;

/** Cells of `width` bytes each; NULLs are zero. */
export class FixedValues implements ColumnValues {
  #view = new DataView(new ArrayBuffer(START_BYTES));
  readonly #width: number;
  readonly #put: Put;
  #used = 0;

  constructor(width: number, put: Put) {
    this.#width = width;
    this.#put = put;
  }

  get sizeBytes(): number {
    return this.#used;
  }

  push(value: DuckDBValue): void {
    const at = this.#used;
    this.#used += this.#width;
    if (this.#used > this.#view.byteLength) {
      const old = new Uint8Array(this.#view.buffer);
      this.#view = new DataView(withRoom(old, this.#used).buffer);
    }
    if (value !== null) this.#put(this.#view, at, value);
  }

  buffers() {
    return { data: new Uint8Array(this.#view.buffer, 0, this.#used) };
  }
}

/** Offsets in Arrow's columns of text and lists have 32 bits. */
const MAX_OFFSET = 2 ** 31 - 1;

/** The offset of each cell, and the end of the last one. */
export class Offsets {
  #items = new Int32Array(START_BYTES / 4);
  #length = 0;

  get end(): number {
    return this.#items[this.#length] ?? 0;
  }

  /** Fault('query') when the cells of one batch are too large for Arrow. */
  push(size: number): void {
    const end = this.end + size;
    if (end > MAX_OFFSET) {
      throw new Fault('query', 'A column has more than 2 GiB in few rows: too much for Arrow.', {
        advice: 'Leave the column out, or use --format parquet.',
      });
    }
    this.#length += 1;
    if (this.#length >= this.#items.length) {
      const larger = new Int32Array(this.#items.length * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.#length] = end;
  }

  items(): Int32Array {
    return this.#items.subarray(0, this.#length + 1);
  }
}

/** Cells of bytes: text in UTF-8, and binary. */
export class ByteValues implements ColumnValues {
  readonly #offsets = new Offsets();
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(START_BYTES);
  readonly #encoder = new TextEncoder();

  get sizeBytes(): number {
    return this.#offsets.end;
  }

  push(value: DuckDBValue): void {
    const start = this.#offsets.end;
    if (typeof value === 'string') {
      // No character of a string takes more than three bytes of UTF-8 per unit.
      this.#bytes = withRoom(this.#bytes, start + value.length * 3);
      this.#offsets.push(this.#encoder.encodeInto(value, this.#bytes.subarray(start)).written);
    } else {
      const bytes = value instanceof DuckDBBlobValue ? value.bytes : new Uint8Array();
      this.#bytes = withRoom(this.#bytes, start + bytes.length);
      this.#bytes.set(bytes, start);
      this.#offsets.push(bytes.length);
    }
  }

  buffers() {
    return {
      data: this.#bytes.subarray(0, this.#offsets.end),
      valueOffsets: this.#offsets.items(),
    };
  }
}

function withRoom(old: Uint8Array<ArrayBuffer>, needed: number): Uint8Array<ArrayBuffer> {
  if (needed <= old.length) return old;
  const larger = new Uint8Array(Math.max(needed, old.length * 2));
  larger.set(old);
  return larger;
}
