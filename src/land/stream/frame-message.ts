import { brotliDecompressSync } from 'node:zlib';
import { jsonIn } from '../../json-in.ts';

/** Larger messages are not read: a compressed frame may grow a thousand times. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MARK = 0x1e;

/** The JSON text of a frame: as it is, or compressed with brotli. */
export function frameText(bytes: Buffer, isBinary: boolean): string | undefined {
  if (!isBinary) return bytes.toString('utf8');
  const plain = bytes.toString('utf8');
  if (/^\s*\{/.test(plain) && jsonIn(plain) !== undefined) return plain;
  // Either the byte 0x1E is a mark, or a brotli stream begins with it.
  const candidates = bytes[0] === MARK ? [bytes.subarray(1), bytes] : [bytes];
  for (const candidate of candidates) {
    try {
      const options = { maxOutputLength: MAX_MESSAGE_BYTES };
      return brotliDecompressSync(candidate, options).toString('utf8');
    } catch {
      // Not brotli, or too large.
    }
  }
  return undefined;
}
