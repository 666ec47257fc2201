import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * The EIP-55 spelling of an address (0x and 40 hex digits): a letter is upper-case if the digit at
 * the same index in the Keccak-256 hash of the lower-case text is 8 or more.
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

/** The right spelling of a mixed-case address with a wrong checksum; undefined for all others. */
export function wrongChecksum(address: string): string | undefined {
  const digits = address.slice(2);
  const isMixed = /[a-f]/.test(digits) && /[A-F]/.test(digits);
  if (!isMixed) return undefined;
  const right = checksummed(address);
  return right.slice(2) === digits ? undefined : right;
}
