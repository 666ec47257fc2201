import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * The address as EIP-55 spells it: a letter is upper-case where the digit of the Keccak-256 hash of
 * the lower-case digits, as text, at the same place is 8 or more. Takes 0x and 40 hex digits.
 */
function checksummed(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = keccak_256(new TextEncoder().encode(digits));
  const spelled = Array.from(digits, (digit, i) => {
    const byte = hash[i >> 1] ?? 0;
    const nibble = i % 2 === 0 ? byte >> 4 : byte & 15;
    return nibble >= 8 ? digit.toUpperCase() : digit;
  });
  return `0x${spelled.join('')}`;
}

/** The right spelling of an address in mixed case whose checksum is wrong; else undefined. */
export function wrongChecksum(address: string): string | undefined {
  const digits = address.slice(2);
  const isMixed = /[a-f]/.test(digits) && /[A-F]/.test(digits);
  if (!isMixed) return undefined;
  const right = checksummed(address);
  return right.slice(2) === digits ? undefined : right;
}
