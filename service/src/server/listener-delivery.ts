import { Readable, type Writable } from 'node:stream';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import type { Effects } from '../../../src/effects.ts';
import type { Coding, Delivery, ServiceResponse } from '../protocol/exchange.ts';

/**
 * Sends an answer according to its delivery; `begin` sends everything before the body of the given
 * length. Buffers little if the client reads slowly, and stops when the client has left. Rejects in
 * that case.
 */
export async function deliver(
  out: Writable,
  answer: ServiceResponse,
  begin: (bytes: number) => void,
  effects: Pick<Effects, 'sleep'>,
): Promise<void> {
  const { body, delivery } = answer;
  if (delivery === undefined) {
    begin(Buffer.byteLength(body));
    out.end(body);
    return;
  }
  const left = new AbortController();
  out.on('close', () => left.abort(new Error('the client has left')));
  if (delivery.delayMs !== undefined) await effects.sleep(delivery.delayMs, left.signal);
  const { coded, paddedToBytes = 0, trickle } = delivery;
  const bytes =
    coded === undefined ? Buffer.from(body) : await codedBytes(coded.as, body, coded.leastBytes);
  const length = Math.max(bytes.length, paddedToBytes);
  begin(length);
  let isFirst = true;
  for (const piece of piecesOf(bytes, length, delivery)) {
    if (trickle !== undefined && !isFirst) await effects.sleep(trickle.pauseMs, left.signal);
    isFirst = false;
    await written(out, piece);
  }
  if (delivery.cutAfterBytes === undefined) out.end();
  else out.destroy();
}

function* piecesOf(
  bytes: Uint8Array,
  length: number,
  { trickle, cutAfterBytes }: Delivery,
): Generator<Uint8Array> {
  let left = cutAfterBytes === 'half' ? Math.floor(length / 2) : (cutAfterBytes ?? length);
  for (const long of padded(bytes, length)) {
    const size = trickle?.pieceBytes ?? long.length;
    for (let at = 0; at < long.length && left > 0; at += size) {
      const piece = long.subarray(at, Math.min(at + size, at + left));
      left -= piece.length;
      yield piece;
    }
  }
}

/** Resolves when the system has taken the piece, so that a later cut cannot lose it. */
function written(out: Writable, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    out.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}

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
async function codedBytes(coding: Coding, text: string, leastBytes: number): Promise<Buffer> {
  const coded: Buffer[] = [];
  const coder = Readable.from(padded(Buffer.from(text), leastBytes)).pipe(CODERS[coding]());
  for await (const piece of coder) coded.push(piece as Buffer);
  return Buffer.concat(coded);
}

/** The bytes, followed by spaces up to a total of `leastBytes`. */
function* padded(bytes: Uint8Array, leastBytes: number): Generator<Uint8Array> {
  yield bytes;
  for (let left = leastBytes - bytes.length; left > 0; left -= PIECE.length) {
    yield left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
  }
}
