import { Readable } from 'node:stream';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { Coding } from '../protocol/exchange.ts';

const PIECE = Buffer.alloc(65_536, ' ');

const CODERS = {
  gzip: () => createGzip({ level: 1 }),
  deflate: () => createDeflate({ level: 1 }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

/**
 * The text in a coding, followed by spaces until it decodes to `leastBytes` bytes. Memory holds the
 * encoded form only: a few bytes for any number of spaces.
 */
export async function codedBytes(
  coding: Coding,
  text: string,
  leastBytes: number,
): Promise<Buffer> {
  const coded: Buffer[] = [];
  const coder = Readable.from(padded(Buffer.from(text), leastBytes)).pipe(CODERS[coding]());
  for await (const piece of coder) coded.push(piece as Buffer);
  return Buffer.concat(coded);
}

/** The bytes, followed by spaces up to a total of `leastBytes`. */
export function* padded(bytes: Uint8Array, leastBytes: number): Generator<Uint8Array> {
  yield bytes;
  for (let left = leastBytes - bytes.length; left > 0; left -= PIECE.length) {
    yield left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
  }
}
