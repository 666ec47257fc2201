import type { Cell } from '../../catalogue/column-kind.ts';
import { STREAM_TABLES } from '../../catalogue/stream/stream-tables.ts';
import type { CapturedTable } from '../captured-table.ts';
import type { Lake } from '../lake.ts';
import { type FrameRows, frameRows, type StreamState } from './frame-rows.ts';
import { type JournalFile, readJournal } from './journal.ts';
import type { JournalRecord } from './journal-record.ts';

/** A commit takes frames up to this size of their rows, or one frame more: they are in memory. */
const BATCH_BYTES = 2 * 1024 * 1024;

/** The figures of landed frames. */
export interface LandedFrames {
  readonly frames: number;
  readonly rows: number;
  /** As in the status, without starts: a stream has no past. */
  readonly gaps: number;
}

/** The newest record of the journal of a network that has landed; -1 before the first one. */
export async function newestLanded(lake: Lake, network: string): Promise<number> {
  const all = STREAM_TABLES.map(({ name }) => table(lake, name).landedUpTo(placeOf(network)));
  return Math.max(...(await Promise.all(all)));
}

/**
 * Commits the rows of a file of the journal. Each table names the record up to which its rows have
 * landed, so a file may land again after a crash. Records that a damaged file lacks are a gap.
 */
export async function landFile(
  lake: Lake,
  file: JournalFile,
  stream: StreamState,
  nowMs: number,
): Promise<LandedFrames> {
  const records = await readJournal(file);
  const frame = file.first + Math.max(1, records.length);
  if (frame < file.end) {
    const detail = `the journal is damaged from frame ${frame} to ${file.end - 1}`;
    const gap = { fromMs: records.at(-1)?.atMs ?? null, reason: 'unreadable', detail };
    records.push({ frame, kind: 'gap', atMs: nowMs, bytes: Buffer.from(JSON.stringify(gap)) });
  }
  let frames = 0;
  let rows = 0;
  let gaps = 0;
  for (let start = 0; start < records.length; ) {
    const batch: JournalRecord[] = [];
    const decoded: FrameRows[] = [];
    for (let bytes = 0; bytes < BATCH_BYTES && start < records.length; start += 1) {
      const record = records[start] as JournalRecord;
      const decodedRows = await frameRows(record, stream);
      batch.push(record);
      decoded.push(decodedRows);
      bytes += sizeOf(decodedRows);
    }
    frames += batch.filter(({ kind }) => kind === 'text' || kind === 'binary').length;
    const landed = await landBatch(lake, stream.network, batch, decoded);
    rows += landed.rows;
    gaps += landed.gaps;
  }
  return { frames, rows, gaps };
}

/** About the bytes of rows: compressed frames grow up to a thousand times. */
function sizeOf(rows: FrameRows): number {
  const cells: Cell[] = Object.values(rows).flat(2);
  return cells.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0);
}

async function landBatch(
  lake: Lake,
  network: string,
  batch: readonly JournalRecord[],
  decoded: readonly FrameRows[],
): Promise<{ readonly rows: number; readonly gaps: number }> {
  const capture = placeOf(network);
  let rows = 0;
  let gaps = 0;
  for (const { name, columns } of STREAM_TABLES) {
    const landed = await table(lake, name).landedUpTo(capture);
    const added: (readonly Cell[])[] = [];
    let upTo = landed;
    for (const [i, { frame }] of batch.entries()) {
      const frameCells = decoded[i]?.[name] ?? [];
      if (frame <= landed || frameCells.length === 0) continue;
      for (const row of frameCells) added.push(row);
      upTo = frame;
    }
    await table(lake, name).add(added, { capture, upTo });
    rows += added.length;
    if (name === 'preconf_gaps') {
      const reason = columns.findIndex((column) => column.name === 'reason');
      gaps += added.filter((row) => row[reason] !== 'start').length;
    }
  }
  return { rows, gaps };
}

function table(lake: Lake, name: string): CapturedTable {
  const capturedTable = lake.captured.get(name);
  if (capturedTable === undefined) throw new Error(`no table ${name}`);
  return capturedTable;
}

function placeOf(network: string): string {
  return `stream ${network}`;
}
