import { keccak_256 } from '@noble/hashes/sha3.js';
import { type RlpItem, rlpEncoded } from './rlp.ts';

/** Raw transactions and their hashes. */

/** Legacy, EIP-2930, EIP-1559, and with blobs. */
export type TransactionType = '0' | '1' | '2' | '3';

/** Random words that a transaction is signed and filled with. */
export const SALT_WORDS = 8;
export const SIMULATED_CHAIN_ID = 1337;
/** Gas of a blob. A blob transaction has one blob. */
export const BLOB_GAS = 131_072;
export const BLOB_GAS_PRICE_WEI = 0n;

/** The fields of a raw transaction. */
export interface TransactionOrder {
  readonly type: TransactionType;
  readonly nonce: number;
  /** null for a creation; several addresses where the record has them. */
  readonly to: string | null;
  readonly wei: bigint;
  /** '' for a plain transfer. */
  readonly methodId: string;
  readonly gasLimit: number;
  /** Prices are in wei for one unit of gas. */
  readonly baseFeeWei: bigint;
  readonly tipWei: bigint;
  /** 32 bytes that no other transaction has. */
  readonly salt: Buffer;
}

/** A raw transaction, with the fields that its record does not have. */
export interface RawTransaction {
  /** keccak256 of `bytes`. */
  readonly hash: string;
  readonly bytes: Buffer;
  readonly type: TransactionType;
  /** The one address it goes to; null for a creation. */
  readonly to: string | null;
  readonly wei: bigint;
  readonly input: Buffer;
  /** The most that its sender pays for one unit of gas, the tip included. */
  readonly maxFeeWei: bigint;
  readonly tipWei: bigint;
  /** Versioned hashes of its blobs. */
  readonly blobHashes: readonly Buffer[];
  readonly yParity: 0 | 1;
  readonly r: Buffer;
  readonly s: Buffer;
}

const ADDRESS_BYTES = 20;
const METHOD_BYTES = 4;
const WORD_BYTES = 32;
/** Length of the arguments after the method: that of the two arguments of a token transfer. */
const ARGUMENT_BYTES = 2 * WORD_BYTES;
const NOTHING = Buffer.alloc(0);
const NO_ACCESS: readonly RlpItem[] = [];
const BLOB_VERSION = 1;
export const MAX_BLOB_FEE_WEI = 10n ** 9n;
/** Legacy transactions encode the chain and the parity in one number. */
const LEGACY_V = 35 + 2 * SIMULATED_CHAIN_ID;

/**
 * The raw transaction of an order, in the encoding of its type. Amounts are exact; the arguments of
 * its call are filler. With several recipients, it goes to the first.
 *
 * The signature is not valid: r, s and parity come from the salt, so the sender cannot be
 * recovered. Real signing would take a hundred times as long as the rest.
 */
export function rawTransaction(order: TransactionOrder): RawTransaction {
  const { type, salt, tipWei, baseFeeWei } = order;
  const isPriced = type === '0' || type === '1';
  const parts: Omit<RawTransaction, 'hash' | 'bytes'> = {
    type,
    to: order.to === null ? null : order.to.slice(0, 2 + 2 * ADDRESS_BYTES),
    wei: order.wei,
    input: inputOf(order.methodId, salt),
    maxFeeWei: (isPriced ? baseFeeWei : 2n * baseFeeWei) + tipWei,
    tipWei,
    blobHashes: type === '3' ? [blobHash(salt)] : [],
    yParity: ((salt[0] ?? 0) & 1) === 0 ? 0 : 1,
    r: salt,
    s: lowS(salt),
  };
  const bytes = encoded(parts, order.nonce, order.gasLimit);
  return { ...parts, bytes, hash: keccakHex(bytes) };
}

/** The keccak256 of bytes, as hex with 0x. */
export function keccakHex(bytes: Uint8Array): string {
  const digest = keccak_256(bytes);
  return `0x${Buffer.from(digest.buffer, digest.byteOffset, digest.length).toString('hex')}`;
}

function encoded(
  parts: Omit<RawTransaction, 'hash' | 'bytes'>,
  nonce: number,
  gasLimit: number,
): Buffer {
  const { type, wei, input, maxFeeWei, tipWei, yParity } = parts;
  const to = parts.to === null ? NOTHING : Buffer.from(parts.to.slice(2), 'hex');
  const [r, s] = [withoutZeros(parts.r), withoutZeros(parts.s)];
  const call = [gasLimit, to, wei, input];
  const chain = SIMULATED_CHAIN_ID;
  switch (type) {
    case '0':
      return rlpEncoded([nonce, maxFeeWei, ...call, LEGACY_V + yParity, r, s]);
    case '1':
      return rlpEncoded([chain, nonce, maxFeeWei, ...call, NO_ACCESS, yParity, r, s], 1);
    case '2':
      return rlpEncoded([chain, nonce, tipWei, maxFeeWei, ...call, NO_ACCESS, yParity, r, s], 2);
    case '3': {
      const priced = [chain, nonce, tipWei, maxFeeWei, ...call, NO_ACCESS, MAX_BLOB_FEE_WEI];
      return rlpEncoded([...priced, parts.blobHashes, yParity, r, s], 3);
    }
  }
}

/** The method and filler in the form of an address and a small number. */
function inputOf(methodId: string, salt: Buffer): Buffer {
  if (methodId === '') return NOTHING;
  const input = Buffer.alloc(METHOD_BYTES + ARGUMENT_BYTES);
  input.write(methodId.slice(2), 'hex');
  input.set(salt.subarray(0, ADDRESS_BYTES), METHOD_BYTES + WORD_BYTES - ADDRESS_BYTES);
  input.set(salt.subarray(ADDRESS_BYTES, ADDRESS_BYTES + 8), input.length - 8);
  return input;
}

/** Chains accept only the lower of the two possible values of s, which is below 2^255. */
function lowS(salt: Buffer): Buffer {
  const s = Buffer.allocUnsafe(WORD_BYTES);
  for (let at = 0; at < WORD_BYTES; at += 1) s[at] = (salt[WORD_BYTES - 1 - at] ?? 0) ^ 0xa5;
  s[0] = (s[0] ?? 0) & 0x7f;
  return s;
}

function blobHash(salt: Buffer): Buffer {
  const hash = Buffer.from(salt);
  hash[0] = BLOB_VERSION;
  return hash;
}

function withoutZeros(bytes: Buffer): Buffer {
  let start = 0;
  while (bytes[start] === 0) start += 1;
  return start === 0 ? bytes : bytes.subarray(start);
}
