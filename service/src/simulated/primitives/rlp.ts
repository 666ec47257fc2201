/** Items of the RLP encoding: bytes, whole numbers from 0 up, lists of items. */
export type RlpItem = Uint8Array | bigint | number | readonly RlpItem[];

/** Far above the length of any item here. */
const MOST_BYTES = 4096;
const SHORT_BYTES = 55;
const TEXT_OFFSET = 0x80;
const LIST_OFFSET = 0xc0;
/** Written from its end to its start, because a length precedes its content. */
const scratch = Buffer.alloc(MOST_BYTES);

/**
 * An item in the recursive length prefix encoding, after the byte `prefix` if there is one.
 * Throws a RangeError for more than 4,096 bytes.
 */
export function rlpEncoded(item: RlpItem, prefix?: number): Buffer {
  let start = put(item, MOST_BYTES);
  if (prefix !== undefined) {
    start -= 1;
    scratch[start] = prefix;
  }
  // Writes before the start of the buffer have no effect and no error.
  if (start < 0) throw new RangeError('the item is too long');
  return Buffer.from(scratch.subarray(start));
}

/** Writes the item so that it ends before `end`, and returns where it begins. */
function put(item: RlpItem, end: number): number {
  if (typeof item === 'number') return putNumber(item, end);
  if (typeof item === 'bigint') return putBigInt(item, end);
  if (item instanceof Uint8Array) return putBytes(item, end);
  let start = end;
  for (let at = item.length - 1; at >= 0; at -= 1) start = put(item[at] ?? 0, start);
  return putLength(end - start, LIST_OFFSET, start);
}

function putBytes(bytes: Uint8Array, end: number): number {
  const start = end - bytes.length;
  scratch.set(bytes, start);
  return textStart(start, end);
}

function putNumber(value: number, end: number): number {
  let start = end;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) {
    start -= 1;
    scratch[start] = rest % 256;
  }
  return textStart(start, end);
}

function putBigInt(value: bigint, end: number): number {
  if (value <= Number.MAX_SAFE_INTEGER) return putNumber(Number(value), end);
  const digits = value.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  const start = end - even.length / 2;
  scratch.write(even, start, 'hex');
  return textStart(start, end);
}

/** Writes the length before the bytes from `start` to `end`. A single small byte has no length. */
function textStart(start: number, end: number): number {
  const bytes = end - start;
  if (bytes === 1 && (scratch[start] ?? TEXT_OFFSET) < TEXT_OFFSET) return start;
  return putLength(bytes, TEXT_OFFSET, start);
}

function putLength(bytes: number, offset: number, end: number): number {
  let start = end;
  if (bytes <= SHORT_BYTES) {
    start -= 1;
    scratch[start] = offset + bytes;
    return start;
  }
  for (let rest = bytes; rest > 0; rest >>>= 8) {
    start -= 1;
    scratch[start] = rest & 0xff;
  }
  const ofLength = end - start;
  start -= 1;
  scratch[start] = offset + SHORT_BYTES + ofLength;
  return start;
}
