import { dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import type { Disk } from '../land/storage/disk.ts';
import { isDiskError, systemFault } from '../land/storage/disk-fault.ts';
import type { Layout } from '../land/storage/layout.ts';
import { digestedFile } from '../land/storage/parquet.ts';
import {
  type Narrowing,
  type PreparedSelect,
  type ViewOrSelect,
  withSelections,
} from '../load/query/stream.ts';
import { destination, type ExportFile, exportsFolder, publish, unfinished } from './destination.ts';
import { type Format, formatNamed } from './formats/formats.ts';
import { sendFile, streamSink } from './formats/sink.ts';

export interface ExportOne {
  /** Name of its file; `file` and `stream` take precedence. */
  readonly name: string;
  readonly source: ViewOrSelect;
  readonly narrowing?: Narrowing;
  readonly file?: string;
  /** Receives the bytes instead of a file, and stays open. */
  readonly stream?: Writable;
}

export interface ExportJob {
  readonly layout: Layout;
  readonly wanted: readonly ExportOne[];
  readonly format: Format;
  /** Writes a folder of Parquet files instead, one folder per value of this column. */
  readonly partitionBy?: string;
  /** Existing files may be replaced. */
  readonly mayReplace: boolean;
  /** CSV for programs rather than for spreadsheets. */
  readonly isRaw: boolean;
  /** Receives the name of an export that begins, and the path at which its bytes arrive. */
  readonly onStart?: (name: string, making: string) => void;
  /** Time limit for all files [milliseconds]. */
  readonly timeoutMs: number;
  readonly stop?: AbortSignal;
  readonly effects: Effects;
  readonly disk: Disk;
}

export interface Exported {
  readonly name: string;
  readonly format: Format;
  /** Absolute path; `-` for a stream. */
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  /** SHA-256 of the file, in hex; null for a folder and for a stream. */
  readonly sha256: string | null;
  readonly seconds: number;
  /** Columns with their types in the warehouse. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Notes for readers of the file. */
  readonly notes: readonly string[];
}

/**
 * Writes views or query results to files, one after the other, from one opening of the warehouse.
 * Each file is published whole or not at all. All names, paths and SELECTs are checked before the
 * first file is written. Throws the Faults of `withSelections` and `destination`, and Fault('lake')
 * if the disk is full.
 */
export async function exportFiles(job: ExportJob): Promise<Exported[]> {
  const places = job.wanted.map((one) => placeOf(one, job));
  const files = places.map(({ making }) => making);
  const { timeoutMs, stop, layout } = job;
  const limits = { timeoutMs, root: layout.root, files, ...(stop === undefined ? {} : { stop }) };
  return withSelections(layout.warehouse, limits, async (warehouse) => {
    const ready: Ready[] = [];
    for (const { one, file, making } of places) {
      const selection = await warehouse.select(one.source, narrowingOf(one, job.format));
      if (one.stream !== undefined) await job.disk.makeFolder(dirname(making));
      else await destination(file, job, making);
      ready.push({ one, selection, to: { ...job, file, making } });
    }
    const exported: Exported[] = [];
    for (const file of ready) exported.push(await exportOne(job, file));
    return exported;
  });
}

/** Views have no order of their own, so rows of text are ordered by all columns. */
function narrowingOf({ source, narrowing }: ExportOne, format: Format): Narrowing | undefined {
  if (!('view' in source) || !formatNamed(format).isOrdered) return narrowing;
  return { order: 'all', ...narrowing };
}

/** The paths of a file. A stream gets one of its own, which is removed when it was sent. */
function placeOf(one: ExportOne, { layout, format, partitionBy }: ExportJob) {
  const name =
    partitionBy === undefined ? `${one.name}.${formatNamed(format).extension}` : one.name;
  const file =
    one.stream === undefined
      ? resolve(one.file ?? join(exportsFolder(layout), name))
      : resolve(layout.staging, name);
  return { one, file, making: unfinished(file) };
}

interface Ready {
  readonly one: ExportOne;
  readonly selection: PreparedSelect;
  readonly to: ExportFile;
}

async function exportOne(job: ExportJob, { one, selection, to }: Ready): Promise<Exported> {
  const { format, disk, effects } = job;
  const startedMs = effects.now();
  job.onStart?.(one.name, to.making);
  try {
    const { isRaw, partitionBy } = job;
    const target = { file: to.making, stream: one.stream, isRaw, partitionBy };
    const { rows, notes } = await formatNamed(format).write(selection, target);
    const place = await delivered(one, to, job);
    return {
      name: one.name,
      format,
      ...place,
      rows,
      seconds: (effects.now() - startedMs) / 1000,
      columns: selection.columns.map((column) => ({
        name: column.name,
        type: String(column.type),
      })),
      notes,
    };
  } catch (error) {
    if (!isDiskError(error)) throw error;
    throw systemFault(error instanceof Fault ? error.cause : error, to.file);
  } finally {
    await disk.remove(to.making);
  }
}

/** Sends or publishes the finished file. */
async function delivered(
  { stream }: ExportOne,
  to: ExportFile,
  { format, disk, partitionBy }: ExportJob,
): Promise<Pick<Exported, 'file' | 'bytes' | 'sha256'>> {
  if (stream !== undefined) {
    if (formatNamed(format).isStreamed) return { file: '-', bytes: 0, sha256: null };
    await sendFile(streamSink(stream), to.making);
    return { file: '-', bytes: await bytesOf([to.making], disk), sha256: null };
  }
  if (partitionBy === undefined) {
    const { sizeBytes, sha256 } = await digestedFile(to.making);
    await publish(to, disk);
    return { file: to.file, bytes: sizeBytes, sha256 };
  }
  const names = await disk.files(to.making);
  const bytes = await bytesOf(
    names.map((name) => join(to.making, name)),
    disk,
  );
  await publish(to, disk);
  return { file: to.file, bytes, sha256: null };
}

async function bytesOf(files: readonly string[], disk: Disk): Promise<number> {
  let bytes = 0;
  for (const file of files) bytes += (await disk.stat(file))?.bytes ?? 0;
  return bytes;
}
