import type { Writable } from 'node:stream';
import type { PreparedSelect } from '../../load/query/stream.ts';
import { fileSink, type Sink, streamSink, type Written } from './sink.ts';

/** The place of an export, and how it is written. */
export interface ExportTarget {
  readonly file: string;
  /** Receives the bytes instead of the file, if the format is streamed. */
  readonly stream: Writable | undefined;
  /** CSV for programs rather than for spreadsheets. */
  readonly isRaw: boolean;
  /** A column, for a folder of files with one of its values each. */
  readonly partitionBy: string | undefined;
}

/** A format of exports. Its writer is loaded on use. */
interface ExportFormat {
  /** The ending of its files. */
  readonly extension: string;
  /** Rows of text, which people read and compare, and which are in order therefore. */
  readonly isOrdered?: true;
  /** A terminal can show it. */
  readonly isPrintable?: true;
  /** Written from beginning to end, without a file between. */
  readonly isStreamed?: true;
  readonly write: (selection: PreparedSelect, target: ExportTarget) => Promise<Written>;
}

/** The formats of exports by name. */
const FORMATS = {
  parquet: {
    extension: 'parquet',
    write: async (selection, { file, partitionBy }) => {
      const { writeParquet, writePartitions } = await import('./parquet-file.ts');
      if (partitionBy === undefined) return writeParquet(selection, file);
      return writePartitions(selection, file, partitionBy);
    },
  },
  csv: {
    extension: 'csv',
    isOrdered: true,
    isPrintable: true,
    write: async (selection, { file, isRaw }) => {
      const { writeCsv } = await import('./csv-file.ts');
      return writeCsv(selection, file, isRaw);
    },
  },
  arrow: {
    extension: 'arrow',
    isStreamed: true,
    write: async (selection, target) => {
      const { writeArrow } = await import('./arrow-file.ts');
      const layout = target.stream === undefined ? 'file' : 'stream';
      return writeArrow(selection, sinkOf(target), layout);
    },
  },
  'arrow-stream': {
    extension: 'arrows',
    isStreamed: true,
    write: async (selection, target) => {
      const { writeArrow } = await import('./arrow-file.ts');
      return writeArrow(selection, sinkOf(target), 'stream');
    },
  },
  xlsx: {
    extension: 'xlsx',
    isOrdered: true,
    write: async (selection, { file }) => {
      const { writeXlsx } = await import('./xlsx-file.ts');
      return writeXlsx(selection, file);
    },
  },
  jsonl: {
    extension: 'jsonl',
    isOrdered: true,
    isPrintable: true,
    isStreamed: true,
    write: async (selection, target) => {
      const { writeJsonLines } = await import('./json-lines.ts');
      return writeJsonLines(selection, sinkOf(target));
    },
  },
} as const satisfies Readonly<Record<string, ExportFormat>>;

export type Format = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly Format[];

/** The properties of a format. */
export function formatNamed(name: Format): ExportFormat {
  return FORMATS[name];
}

/** The format of a file name by its ending; undefined for other endings. */
export function formatOf(file: string): Format | undefined {
  return FORMAT_NAMES.find((name) => file.toLowerCase().endsWith(`.${FORMATS[name].extension}`));
}

function sinkOf({ file, stream }: ExportTarget): Sink {
  return stream === undefined ? fileSink(file) : streamSink(stream);
}
