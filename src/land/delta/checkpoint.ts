import { literal } from '../storage/sql-text.ts';
import { addAction, READER_VERSION, txnLine, WRITER_VERSION } from './actions.ts';
import type { Snapshot } from './fold.ts';

/**
 * A checkpoint holds the state of a table at one version, in two files: rows of Parquet, which
 * readers of other programs begin with, and the part of windrow (`checkpoint-state.ts`), which also
 * has coverage. Versions before the oldest checkpoint have expired (`expiry.ts`).
 *
 * https://github.com/delta-io/delta/blob/master/PROTOCOL.md#checkpoints
 */

/** A checkpoint is due after this many commits. */
export const CHECKPOINT_COMMITS = 100;
/**
 * One is also due after entries of as many bytes as the part of windrow has, and of this many: that
 * bounds the bytes that are written for checkpoints, and the time to open a table.
 */
export const CHECKPOINT_BYTES = 1024 * 1024;
/**
 * Removed files stay in checkpoints this long, as the protocol asks for: its default for tables
 * without `delta.deletedFileRetentionDuration`.
 */
const REMOVED_MS = 7 * 24 * 3_600_000;

export const LAST_CHECKPOINT = '_last_checkpoint';
/** Tag in `_last_checkpoint` with the sha256 of the checkpoint's bytes, in hex. */
export const SHA256_TAG = 'windrow.sha256';

const NAME = /^(\d{20})\.checkpoint\.parquet$/;
const STATE_NAME = /^(\d{20})\.windrow$/;

export function checkpointName(version: number): string {
  return `${String(version).padStart(20, '0')}.checkpoint.parquet`;
}

/** The name of windrow's part. Other programs ignore files with such names. */
export function stateName(version: number): string {
  return `${String(version).padStart(20, '0')}.windrow`;
}

/** The versions of the checkpoints in one file each among these names, newest first. */
export function checkpointVersions(names: readonly string[]): number[] {
  return versionsIn(names, NAME);
}

/** The versions with windrow's part among these names, newest first. */
export function stateVersions(names: readonly string[]): number[] {
  return versionsIn(names, STATE_NAME);
}

function versionsIn(names: readonly string[], pattern: RegExp): number[] {
  return names
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

/** The actions of a version as lines of JSON. */
export function* checkpointLines(
  snapshot: Snapshot,
  heightColumn: string,
  nowMs: number,
): Generator<string, void, undefined> {
  for (const action of actions(snapshot, heightColumn, nowMs)) yield `${JSON.stringify(action)}\n`;
}

function* actions(
  { metaData, transactions, files, removedAt }: Snapshot,
  heightColumn: string,
  nowMs: number,
): Generator<unknown, void, undefined> {
  yield { protocol: { minReaderVersion: READER_VERSION, minWriterVersion: WRITER_VERSION } };
  yield { metaData: { ...metaData, format: { provider: 'parquet', options: {} } } };
  for (const [appId, version] of transactions) yield txnLine(appId, version, nowMs);
  for (const file of files.values()) {
    const add = addAction(file, heightColumn, file.addedAtMs);
    yield { add: { ...add, path: encoded(file.path), dataChange: false } };
  }
  for (const [path, deletionTimestamp] of removedAt) {
    if (nowMs - deletionTimestamp > REMOVED_MS) continue;
    yield { remove: { path: encoded(path), deletionTimestamp, dataChange: false } };
  }
}

/** A path as the log has it: readers decode it. */
function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Columns of a checkpoint, by the protocol. */
const TEXTS = 'MAP(VARCHAR, VARCHAR)';
const COLUMNS: Readonly<Record<string, string>> = {
  txn: 'STRUCT(appId VARCHAR, version BIGINT, lastUpdated BIGINT)',
  add:
    `STRUCT(path VARCHAR, partitionValues ${TEXTS}, size BIGINT, modificationTime BIGINT, ` +
    `dataChange BOOLEAN, stats VARCHAR, tags ${TEXTS})`,
  remove: 'STRUCT(path VARCHAR, deletionTimestamp BIGINT, dataChange BOOLEAN)',
  metaData:
    'STRUCT(id VARCHAR, name VARCHAR, description VARCHAR, ' +
    `format STRUCT(provider VARCHAR, options ${TEXTS}), schemaString VARCHAR, ` +
    `partitionColumns VARCHAR[], createdTime BIGINT, configuration ${TEXTS})`,
  protocol: 'STRUCT(minReaderVersion INTEGER, minWriterVersion INTEGER)',
};

/** SQL that writes the checkpoint `to` from the lines in the file `from`. */
export function checkpointSql(from: string, to: string): string {
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name}: ${literal(type)}`);
  const format = `format = 'newline_delimited', columns = {${columns.join(', ')}}`;
  return (
    `COPY (FROM read_json(${literal(from)}, ${format})) ` +
    `TO ${literal(to)} (FORMAT parquet, COMPRESSION zstd)`
  );
}

/** The content of `_last_checkpoint`. */
export function lastCheckpoint(
  version: number,
  written: { readonly rows: number; readonly sizeBytes: number; readonly sha256: string },
  files: number,
): string {
  const { rows: size, sizeBytes: sizeInBytes, sha256 } = written;
  const tags = { [SHA256_TAG]: sha256 };
  return `${JSON.stringify({ version, size, sizeInBytes, numOfAddFiles: files, tags })}\n`;
}
