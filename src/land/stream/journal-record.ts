import { createHash } from 'node:crypto';

/** A record of the journal: a frame as it was received, or a note of the capture. */
export interface JournalRecord {
  /** Its number in the journal. Numbers continue over files. */
  readonly frame: number;
  readonly kind: 'text' | 'binary' | 'gap' | 'stopped';
  readonly atMs: number;
  readonly bytes: Buffer;
}

/** A time in which frames may be missing; the content of a `gap` record. */
export interface JournalGap {
  /** Time of the last frame before it; null if there was none. */
  readonly fromMs: number | null;
  readonly reason: string;
  readonly detail: string;
}

const KINDS = ['text', 'binary', 'gap', 'stopped'] as const;
/** Length of the bytes, kind, time, and the SHA-256 of these and the bytes. */
const TIME_AT = 5;
const DIGEST_AT = 13;
const HEAD_BYTES = DIGEST_AT + 32;

/** The record as it is appended. */
export function journalBytes({ kind, atMs, bytes }: Omit<JournalRecord, 'frame'>): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(bytes.length, 0);
  head.writeUInt8(KINDS.indexOf(kind), 4);
  head.writeDoubleBE(atMs, TIME_AT);
  digestOf(head, bytes).copy(head, DIGEST_AT);
  return Buffer.concat([head, bytes]);
}

/** The whole records of a file, up to the first one that is cut or damaged. */
export function journalRecords(file: Buffer, first: number): JournalRecord[] {
  const records: JournalRecord[] = [];
  let at = 0;
  while (at + HEAD_BYTES <= file.length) {
    const head = file.subarray(at, at + HEAD_BYTES);
    const end = at + HEAD_BYTES + head.readUInt32BE(0);
    const kind = KINDS[head.readUInt8(4)];
    if (kind === undefined || end > file.length) break;
    const bytes = file.subarray(at + HEAD_BYTES, end);
    if (!digestOf(head, bytes).equals(head.subarray(DIGEST_AT))) break;
    records.push({ frame: first + records.length, kind, atMs: head.readDoubleBE(TIME_AT), bytes });
    at = end;
  }
  return records;
}

function digestOf(head: Buffer, bytes: Buffer): Buffer {
  return createHash('sha256').update(head.subarray(0, DIGEST_AT)).update(bytes).digest();
}
