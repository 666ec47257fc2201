import { createReadStream, createWriteStream } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isCode } from '../../land/storage/disk.ts';

/** Receives the bytes of an export. */
export interface Sink {
  /** Bytes that were sent cannot be taken back, so there is one attempt. */
  readonly isOnce: boolean;
  /** Opens it; an earlier attempt is overwritten. */
  open(): Writable;
}

export function fileSink(file: string): Sink {
  return { isOnce: false, open: () => createWriteStream(file) };
}

/** A stream that stays open afterwards, such as stdout. */
export function streamSink(stream: Writable): Sink {
  return { isOnce: true, open: () => stream };
}

/** Sends bytes to a sink. A reader that closes its end early (`| head`) ends this without error. */
export async function sendTo(sink: Sink, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(Readable.from(bytes, { objectMode: false }), sink.open(), { end: !sink.isOnce });
  } catch (error) {
    if (!sink.isOnce || !isCode(error, 'EPIPE')) throw error;
  }
}

/** Sends a finished file to a sink. */
export async function sendFile(sink: Sink, file: string): Promise<void> {
  await sendTo(sink, createReadStream(file));
}
