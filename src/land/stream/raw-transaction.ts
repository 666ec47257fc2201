import { keccak256, recoverTransactionAddress } from 'viem';
import { parseTransaction } from 'viem/op-stack';

/** A transaction of the stream, from its raw bytes. */
export interface PreconfirmedTransaction {
  /** keccak256 of the bytes. */
  readonly hash: string;
  /** In hex, as in 0x2; 0x0 for legacy transactions, 0x7e for deposits. */
  readonly type: string;
  /** From the signature; null if that is not valid. */
  readonly from: string | null;
  readonly to: string | null;
  readonly nonce: bigint | null;
  readonly value: bigint | null;
  readonly gas: bigint | null;
  readonly maxFee: bigint | null;
  readonly maxPriorityFee: bigint | null;
  readonly methodId: string | null;
  readonly isDecoded: boolean;
}

type Hex = `0x${string}`;
const FIRST_LEGACY_BYTE = 0xc0;

/** The transaction in these bytes, in hex. Bytes of an unknown type have a hash and no fields. */
export async function preconfirmedTransaction(raw: string): Promise<PreconfirmedTransaction> {
  const bytes = raw as Hex;
  const hash = keccak256(bytes);
  const first = Number.parseInt(raw.slice(2, 4), 16);
  const type = first >= FIRST_LEGACY_BYTE ? '0x0' : `0x${first.toString(16)}`;
  try {
    const fields: Record<string, unknown> = { ...parseTransaction(bytes) };
    const data = textOf(fields['data']);
    return {
      hash,
      type,
      from: type === '0x7e' ? lower(fields['from']) : await senderOf(bytes),
      to: lower(fields['to']),
      nonce: type === '0x7e' ? null : quantity(fields['nonce'] ?? 0),
      value: quantity(fields['value'] ?? 0),
      gas: quantity(fields['gas'] ?? 0),
      maxFee: quantity(fields['maxFeePerGas'] ?? fields['gasPrice']),
      maxPriorityFee: quantity(fields['maxPriorityFeePerGas']),
      methodId: data !== null && data.length >= 10 ? data.slice(0, 10) : null,
      isDecoded: true,
    };
  } catch {
    const none = { from: null, to: null, nonce: null, value: null, gas: null };
    const rest = { maxFee: null, maxPriorityFee: null, methodId: null, isDecoded: false };
    return { hash, type, ...none, ...rest };
  }
}

async function senderOf(serializedTransaction: Hex): Promise<string | null> {
  try {
    const options = { serializedTransaction } as Parameters<typeof recoverTransactionAddress>[0];
    return (await recoverTransactionAddress(options)).toLowerCase();
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function lower(value: unknown): string | null {
  return textOf(value)?.toLowerCase() ?? null;
}

function quantity(value: unknown): bigint | null {
  return typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : null;
}
