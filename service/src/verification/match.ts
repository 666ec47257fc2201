import type { CodeRange, RuntimeCode } from './program.ts';

/** Compares the bytes of a contract's compiled and deployed code. */

/**
 * Why the deployed code (hex with 0x) differs from the compiled one; undefined if it is equal. The
 * metadata that the compiler appends is not compared, nor are values that are set at deployment.
 * Hashes of sources within the code, such as those of a contract that the contract creates, are
 * part of it.
 */
export function differenceOf(compiled: RuntimeCode, deployed: string): string | undefined {
  const missing = Object.values(compiled.linkReferences ?? {}).flatMap(Object.keys);
  if (missing.length > 0) return `the address of the library ${missing[0]} is missing`;
  const unset = Object.values(compiled.immutableReferences ?? {}).flat();
  if (LIBRARY.test(compiled.object)) unset.push(OWN_ADDRESS);
  const ours = withoutMetadata(masked(Buffer.from(compiled.object, 'hex'), unset));
  const theirs = withoutMetadata(masked(Buffer.from(deployed.slice(2), 'hex'), unset));
  if (ours.length === 0) return 'the contract has no code of its own';
  if (ours.length !== theirs.length) {
    return `the compiled code has ${ours.length} bytes, the deployed one ${theirs.length}`;
  }
  const place = ours.findIndex((byte, nth) => byte !== theirs[nth]);
  return place < 0 ? undefined : `the compiled code differs at byte ${place}`;
}

/** A library starts with its own address and checks whether it is called at another one. */
const LIBRARY = /^730{40}3014/;
const OWN_ADDRESS: CodeRange = { start: 1, length: 20 };

function masked(code: Buffer, ranges: readonly CodeRange[]): Buffer {
  for (const { start, length } of ranges) code.subarray(start, start + length).fill(0);
  return code;
}

/** In bytes; the last bytes of the trailer, with the length of the rest. */
const LENGTH_BYTES = 2;

/**
 * The code without its trailer: a CBOR map, then its length. Any other bytes at the end are code;
 * otherwise a changed end would pass for a trailer.
 */
function withoutMetadata(code: Buffer): Buffer {
  if (code.length < LENGTH_BYTES) return code;
  const end = code.length - LENGTH_BYTES;
  const start = end - code.readUInt16BE(end);
  return start >= 0 && isMetadata(code.subarray(start, end)) ? code.subarray(0, start) : code;
}

const CBOR = { bytes: 2, text: 3, map: 5, simple: 7 } as const;
const KEYS = new Set(['ipfs', 'bzzr0', 'bzzr1', 'experimental', 'solc']);
/** A length up to 23 is in the first byte; this value means that it is in the next one. */
const LENGTH_FOLLOWS = 24;

/** Whether the bytes are exactly one map of compiler metadata. */
function isMetadata(bytes: Buffer): boolean {
  let at = 0;
  const head = (): { major: number; value: number } => {
    const first = bytes[at++] ?? 0;
    const value = first & 31;
    return { major: first >> 5, value: value === LENGTH_FOLLOWS ? (bytes[at++] ?? 0) : value };
  };
  const { major, value: pairs } = head();
  if (major !== CBOR.map || pairs === 0 || pairs > KEYS.size) return false;
  for (let pair = 0; pair < pairs; pair += 1) {
    const key = head();
    const name = bytes.toString('latin1', at, at + key.value);
    if (key.major !== CBOR.text || !KEYS.has(name)) return false;
    at += key.value;
    const item = head();
    if (item.major === CBOR.bytes || item.major === CBOR.text) at += item.value;
    else if (item.major !== CBOR.simple) return false;
  }
  return at === bytes.length;
}
