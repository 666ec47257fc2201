import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isCode, localDisk, type OpenFile } from '../../land/storage/disk.ts';

/** Receives the bytes of an export. */
export interface Sink {
  /** Bytes that were sent cannot be taken back, so there is one attempt. */
  readonly isOnce: boolean;
  /** Opens it; an earlier attempt is overwritten. */
  open(): Promise<Writable>;
}

export function fileSink(file: string): Sink {
  const open = async () => (await overwritten(file)).createWriteStream();
  return { isOnce: false, open };
}

/** A new file in place of one from an earlier attempt. */
async function overwritten(file: string): Promise<OpenFile> {
  await localDisk.remove(file);
  return localDisk.create(file);
}

/** A stream that stays open afterwards, such as stdout. */
export function streamSink(stream: Writable): Sink {
  return { isOnce: true, open: async () => stream };
}

/** Sends bytes to a sink. A reader that closes its end early (`| head`) ends this without error. */
export async function sendTo(sink: Sink, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    const to = await sink.open();
    await pipeline(Readable.from(bytes, { objectMode: false }), to, { end: !sink.isOnce });
  } catch (error) {
    if (!sink.isOnce || !isCode(error, 'EPIPE')) throw error;
  }
}

/** Sends a finished file to a sink. */
export async function sendFile(sink: Sink, file: string): Promise<void> {
  await sendTo(sink, localDisk.parts(file));
}

/** Result of the writer of one format. */
export interface Written {
  readonly rows: number;
  /** Notes for readers of the file: columns that are text for lack of an exact type ... */
  readonly notes: readonly string[];
}
