import { brotliCompressSync, constants } from 'node:zlib';
import type { JsonObject } from '../node/rpc-shapes.ts';
import type { FullStreamSettings } from './stream-settings.ts';

/** A WebSocket message in its transmitted form. */
export interface Frame {
  readonly data: string | Buffer;
  readonly isBinary: boolean;
}

const MARK = Buffer.of(0x1e);
/** Brotli quality: streams are compressed for speed, not for size. */
const QUALITY = 4;

/** The frame of a message in the encoding of the stream. */
export function frameOf(message: JsonObject, encoding: FullStreamSettings['encoding']): Frame {
  const text = JSON.stringify(message);
  switch (encoding) {
    case 'text':
      return { data: text, isBinary: false };
    case 'binary':
      return { data: Buffer.from(text), isBinary: true };
    case 'brotli':
      return { data: compressed(text), isBinary: true };
    case 'marked-brotli':
      return { data: Buffer.concat([MARK, compressed(text)]), isBinary: true };
  }
}

function compressed(text: string): Buffer {
  return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
}
