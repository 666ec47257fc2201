/** A number as nodes write it: hex without leading zeros, `0x0` for zero. */
export function hexQuantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** Bytes as nodes write them: two digits for each. */
export function hexBytes(bytes: Buffer): string {
  return `0x${bytes.toString('hex')}`;
}

/** A value from 0 up to 2^256 - 1 as 64 digits, without 0x. */
export function hexWord(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

/** An address as 64 digits, without 0x. */
export function addressWord(address: string): string {
  return address.slice(2).padStart(64, '0');
}
