import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isCode, localDisk } from '../../land/storage/disk.ts';

/** Receives the bytes of an export. */
export interface Sink {
  /** A stream stays open afterwards, as stdout does. */
  readonly staysOpen: boolean;
  open(): Promise<Writable>;
}

export function fileSink(file: string): Sink {
  const open = async () => (await localDisk.create(file)).createWriteStream();
  return { staysOpen: false, open };
}

export function streamSink(stream: Writable): Sink {
  return { staysOpen: true, open: async () => stream };
}

/** Sends bytes to a sink. A reader that closes its end early (`| head`) ends this without error. */
export async function sendTo(sink: Sink, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const { staysOpen } = sink;
  try {
    const to = await sink.open();
    await pipeline(Readable.from(bytes, { objectMode: false }), to, { end: !staysOpen });
  } catch (error) {
    if (!staysOpen || !isCode(error, 'EPIPE')) throw error;
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
