import { literal } from '../storage/sql-text.ts';
import { addAction, READER_VERSION, txnLine, WRITER_VERSION } from './actions.ts';
import type { Snapshot } from './fold.ts';

/**
 * A Delta checkpoint holds the state of a table as rows of a Parquet file, so that readers of other
 * programs start from it in place of the first log entry. windrow itself reads the log and its
 * saved fold.
 *
 * https://github.com/delta-io/delta/blob/master/PROTOCOL.md#checkpoints
 */

/** A checkpoint is due after this many commits. */
export const CHECKPOINT_COMMITS = 100;
/** Older ones of these are kept, for readers that have begun with them. */
export const KEPT_CHECKPOINTS = 2;
/**
 * Removed files stay in checkpoints this long, as the protocol asks for: its default for tables
 * without `delta.deletedFileRetentionDuration`.
 */
export const REMOVED_MS = 7 * 24 * 3_600_000;

export const LAST_CHECKPOINT = '_last_checkpoint';
/** Tag in `_last_checkpoint` with the sha256 of the checkpoint's bytes, in hex. */
export const SHA256_TAG = 'windrow.sha256';

const NAME = /^(\d{20})\.checkpoint\.parquet$/;

export function checkpointName(version: number): string {
  return `${String(version).padStart(20, '0')}.checkpoint.parquet`;
}

/** The versions of the checkpoints in one file each among these names, newest first. */
export function checkpointVersions(names: readonly string[]): number[] {
  return names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
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
