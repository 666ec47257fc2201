import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import { type Disk, isCode } from '../land/storage/disk.ts';
import type { Layout } from '../land/storage/layout.ts';
import { type PreparedSelect, type ViewOrSelect, withSelections } from '../load/query/stream.ts';
import { writeArrow } from './arrow-file.ts';
import { writeCsv } from './csv-file.ts';
import { destination, type ExportFile, exportsFolder, publish } from './destination.ts';
import { FORMATS, type Format } from './formats.ts';
import { writeParquet } from './parquet-file.ts';
import type { Written } from './written.ts';

export interface ExportOne {
  /** Name of its file; `file` takes precedence. */
  readonly name: string;
  readonly asked: ViewOrSelect;
  readonly file?: string;
}

export interface ExportJob {
  readonly layout: Layout;
  readonly wanted: readonly ExportOne[];
  readonly format: Format;
  /** Existing files may be replaced. */
  readonly mayReplace: boolean;
  /** Leaves CSV text unescaped, even if a spreadsheet would run it. */
  readonly isRaw: boolean;
  /** Time limit for all files [milliseconds]. */
  readonly timeoutMs: number;
  readonly stop?: AbortSignal;
  readonly effects: Effects;
  readonly disk: Disk;
}

export interface Exported {
  readonly name: string;
  readonly format: Format;
  /** Absolute path. */
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
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
  return withSelections(job.layout.warehouse, limitsOf(job), async (warehouse) => {
    const ready: Ready[] = [];
    for (const { name, asked, file } of job.wanted) {
      const selection = await warehouse.select(asked);
      const default_ = join(exportsFolder(job.layout), `${name}.${FORMATS[job.format]}`);
      ready.push({ name, selection, to: await destination(file ?? default_, job) });
    }
    const exported: Exported[] = [];
    for (const each of ready) exported.push(await exportOne(job, each));
    return exported;
  });
}

function limitsOf({ timeoutMs, stop, layout: { root } }: ExportJob) {
  return { timeoutMs, root, ...(stop === undefined ? {} : { stop }) };
}

interface Ready {
  readonly name: string;
  readonly selection: PreparedSelect;
  readonly to: ExportFile;
}

async function exportOne(job: ExportJob, { name, selection, to }: Ready): Promise<Exported> {
  const { format, disk, effects } = job;
  const startedMs = effects.now();
  try {
    const { rows, notes } = await write(selection, to.making, job);
    const { size } = await stat(to.making);
    const sha256 = await sha256Of(to.making);
    await publish(to, disk);
    return {
      name,
      format,
      file: to.file,
      rows,
      bytes: size,
      sha256,
      seconds: (effects.now() - startedMs) / 1000,
      columns: selection.columns.map((column) => ({
        name: column.name,
        type: String(column.type),
      })),
      notes,
    };
  } catch (error) {
    throw isFull(error) ? full(error, to.file) : error;
  } finally {
    await disk.remove(to.making);
  }
}

function write(selection: PreparedSelect, file: string, job: ExportJob): Promise<Written> {
  switch (job.format) {
    case 'parquet':
      return writeParquet(selection, file);
    case 'csv':
      return writeCsv(selection, file, { isRaw: job.isRaw });
    case 'arrow':
      return writeArrow(selection, file, 'file');
    case 'arrow-stream':
      return writeArrow(selection, file, 'stream');
  }
}

/** Recognizes DuckDB's message for a full disk. */
function isFull(error: unknown): boolean {
  if (isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT')) return true;
  return error instanceof Error && error.message.includes('No space left on device');
}

function full(cause: unknown, where: string): Fault {
  return new Fault('lake', 'The disk is full.', {
    where,
    advice: 'Free some space and export again: the unfinished files have been removed.',
    cause,
  });
}

async function sha256Of(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const part of createReadStream(file)) digest.update(part as Buffer);
  return digest.digest('hex');
}
