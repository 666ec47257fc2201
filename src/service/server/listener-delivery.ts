import type { Writable } from 'node:stream';
import type { Effects } from '../../effects.ts';
import type { Delivery, ServiceResponse } from '../protocol/exchange.ts';
import { codedBytes, padded } from './listener-bytes.ts';

/**
 * Sends an answer as its delivery says; `begin` sends what comes before so many bytes of body.
 * Little is held of what the client does not take, and nothing goes on once it has left. Rejects
 * when it has.
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

/** Resolves when the piece is with the system, so that it cannot be lost by a later cut. */
function written(out: Writable, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    out.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}
