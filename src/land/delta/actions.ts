import { z } from 'zod';
import type { SqlType } from '../../catalogue/column-kind.ts';
import type { Column } from '../../catalogue/entry.ts';
import type { ListId } from '../../coverage/list.ts';
import { Fault } from '../../fault.ts';
import { storedLedgerSchema } from './ledger.ts';

/**
 * The lines of a Delta Lake log that windrow writes and reads. Lines of other kinds, which other
 * engines write, and other fields are ignored.
 */

export const metaDataSchema = z.object({
  id: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  schemaString: z.string(),
  partitionColumns: z.array(z.string()).default([]),
  configuration: z.record(z.string(), z.string()).default({}),
  createdTime: z.number().nullish(),
});
export type MetaData = z.infer<typeof metaDataSchema>;

const addSchema = z.object({
  path: z.string(),
  size: z.number(),
  modificationTime: z.number().optional(),
  dataChange: z.boolean().optional(),
  stats: z.string().nullish(),
  tags: z.record(z.string(), z.string().nullable()).nullish(),
});

export const lineSchema = z.object({
  protocol: z.object({ minReaderVersion: z.number(), minWriterVersion: z.number() }).optional(),
  metaData: metaDataSchema.optional(),
  add: addSchema.optional(),
  remove: z
    .object({
      path: z.string(),
      deletionTimestamp: z.number().optional(),
      dataChange: z.boolean().optional(),
    })
    .optional(),
  txn: z.object({ appId: z.string(), version: z.number() }).optional(),
  commitInfo: z
    .object({
      timestamp: z.number().optional(),
      operation: z.string().optional(),
      windrow: storedLedgerSchema.optional(),
    })
    .optional(),
});

export type Line = z.infer<typeof lineSchema>;

/** One data file that a version of the table consists of. */
export interface DataFile {
  /** Relative to the table's folder. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly rows: number | undefined;
  /** Lowest and highest height in the file; undefined if another engine left them out. */
  readonly heights: { readonly from: number; readonly to: number } | undefined;
  /** SHA-256 of the file's bytes, in hex; undefined for files of other engines. */
  readonly sha256: string | undefined;
  /** Endpoint and variant of all its rows; undefined if another engine merged files. */
  readonly source: ListId | undefined;
}

/** A data file in a version of the table. */
export interface TableFile extends DataFile {
  /** When it was added [ms since the Unix epoch]; 0 if another program did not say it. */
  readonly addedAtMs: number;
}

/** Layout of tables. */
export const LAYOUT = '2';
/** Versions of the Delta protocol in which tables are written: the base, without features. */
export const READER_VERSION = 1;
export const WRITER_VERSION = 2;

export const LAYOUT_KEY = 'windrow.layout';
/** The table that metadata were written for. */
export const PLACE_KEY = 'windrow.table';

const DELTA_TYPES: Record<SqlType, unknown> = {
  VARCHAR: 'string',
  'VARCHAR[]': { type: 'array', elementType: 'string', containsNull: true },
  BIGINT: 'long',
  'DECIMAL(20,0)': 'decimal(20,0)',
  'DECIMAL(38,0)': 'decimal(38,0)',
  'DECIMAL(38,18)': 'decimal(38,18)',
  TIMESTAMPTZ: 'timestamp',
  BOOLEAN: 'boolean',
  DOUBLE: 'double',
  DATE: 'date',
};

function schemaString(columns: readonly Column[]): string {
  const fields = columns.map(({ name, type, comment }) => ({
    name,
    type: DELTA_TYPES[type],
    nullable: true,
    metadata: { comment },
  }));
  return JSON.stringify({ type: 'struct', fields });
}

export function columnNames(schema: string): string[] {
  const parsed = z
    .object({ fields: z.array(z.object({ name: z.string() })) })
    .parse(JSON.parse(schema));
  return parsed.fields.map((field) => field.name);
}

/**
 * Throws Fault('lake') if the table has other types of these columns: with files of two types,
 * programs that follow its log could not read it.
 */
export function checkTypes(
  metaData: MetaData | undefined,
  columns: readonly Column[],
  folder: string,
): void {
  if (metaData === undefined) return;
  const { fields } = z
    .object({ fields: z.array(z.object({ name: z.string(), type: z.unknown() })) })
    .parse(JSON.parse(metaData.schemaString));
  const types = new Map(fields.map(({ name, type }) => [name, JSON.stringify(type)]));
  const other = columns.find(({ name, type }) => {
    return types.has(name) && types.get(name) !== JSON.stringify(DELTA_TYPES[type]);
  });
  if (other === undefined) return;
  throw new Fault('lake', `The column ${other.name} has another type than this release writes.`, {
    where: folder,
    advice: 'Another release wrote the table: export into another data root (--data DIR).',
  });
}

export function protocolLine(): unknown {
  return { protocol: { minReaderVersion: READER_VERSION, minWriterVersion: WRITER_VERSION } };
}

/** Disables the cleanup of expired log entries, because coverage is stored in the log. */
export function metaDataLine(
  id: string,
  name: string,
  comment: string,
  columns: readonly Column[],
  nowMs: number,
  place?: string,
): unknown {
  return {
    metaData: {
      id,
      name,
      description: comment,
      format: { provider: 'parquet', options: {} },
      schemaString: schemaString(columns),
      partitionColumns: [],
      configuration: {
        'delta.enableExpiredLogCleanup': 'false',
        'delta.logRetentionDuration': 'interval 36500 days',
        [LAYOUT_KEY]: LAYOUT,
        ...(place === undefined ? {} : { [PLACE_KEY]: place }),
      },
      createdTime: nowMs,
    },
  };
}

/** The table of a folder: `lake/CHAIN/TABLE` or `curated/CHAIN/TABLE`. */
export function placeOf(folder: string): string {
  return folder.split(/[\\/]/).slice(-3).join('/');
}

/** `dataChange` is false in commits that only move rows from files to others. */
export function addLine(
  file: DataFile,
  heightColumn: string,
  nowMs: number,
  dataChange = true,
): unknown {
  return { add: addAction(file, heightColumn, nowMs, dataChange) };
}

/** The content of an `add` line, of a file that was added at `atMs`. */
export function addAction(
  file: DataFile,
  heightColumn: string,
  atMs: number,
  dataChange = true,
): object {
  const { heights, source } = file;
  const stats = {
    numRecords: file.rows,
    minValues: heights === undefined ? {} : { [heightColumn]: heights.from },
    maxValues: heights === undefined ? {} : { [heightColumn]: heights.to },
    nullCount: heights === undefined ? {} : { [heightColumn]: 0 },
  };
  return {
    path: file.path,
    partitionValues: {},
    size: file.sizeBytes,
    modificationTime: atMs,
    dataChange,
    stats: JSON.stringify(stats),
    tags: {
      'windrow.sha256': file.sha256,
      'windrow.endpoint': source?.endpoint,
      'windrow.variant': source?.variant,
    },
  };
}

export function removeLine(file: DataFile, nowMs: number, dataChange = true): unknown {
  return {
    remove: {
      path: file.path,
      deletionTimestamp: nowMs,
      dataChange,
      extendedFileMetadata: true,
      partitionValues: {},
      size: file.sizeBytes,
    },
  };
}

export function txnLine(appId: string, version: number, nowMs: number): unknown {
  return { txn: { appId, version, lastUpdated: nowMs } };
}

export function commitInfoLine(
  operation: string,
  ledger: object,
  nowMs: number,
  txnId?: string,
): unknown {
  return {
    commitInfo: {
      timestamp: nowMs,
      operation,
      operationParameters: {},
      isBlindAppend: false,
      engineInfo: 'windrow',
      txnId,
      windrow: ledger,
    },
  };
}

/** Whether a path of a log stays in the folder of its table: no URL, not absolute, no `..`. */
export function isInTable(path: string): boolean {
  return !/^([a-z][\w+.-]*:)?[/\\]/i.test(path) && !path.split(/[/\\]/).includes('..');
}

export function dataFileOf(add: NonNullable<Line['add']>, heightColumn: string): TableFile {
  const stats = z
    .object({
      numRecords: z.number().optional(),
      minValues: z.record(z.string(), z.unknown()).optional(),
      maxValues: z.record(z.string(), z.unknown()).optional(),
    })
    .parse(JSON.parse(add.stats ?? '{}'));
  const from = stats.minValues?.[heightColumn];
  const to = stats.maxValues?.[heightColumn];
  const endpoint = add.tags?.['windrow.endpoint'];
  const variant = add.tags?.['windrow.variant'];
  return {
    path: decodeURIComponent(add.path),
    sizeBytes: add.size,
    addedAtMs: add.modificationTime ?? 0,
    rows: stats.numRecords,
    heights: typeof from === 'number' && typeof to === 'number' ? { from, to } : undefined,
    sha256: add.tags?.['windrow.sha256'] ?? undefined,
    source:
      typeof endpoint === 'string' && typeof variant === 'string'
        ? { endpoint, variant }
        : undefined,
  };
}
