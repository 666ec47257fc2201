import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import type { Disk } from '../storage/disk.ts';
import { digestedFile, type ParquetWriter } from '../storage/parquet.ts';
import { literal } from '../storage/sql-text.ts';
import {
  checkpointLines,
  checkpointName,
  checkpointSql,
  checkpointVersions,
  KEPT_CHECKPOINTS,
  LAST_CHECKPOINT,
  lastCheckpoint,
} from './checkpoint.ts';
import type { Snapshot } from './fold.ts';
import { archiveEntries, LOG } from './log-files.ts';

interface CheckpointSettings {
  readonly disk: Disk;
  readonly effects: Effects;
  readonly writer: ParquetWriter;
  readonly staging: string;
}

/**
 * Writes the checkpoint of a version in the log of a table, names it in `_last_checkpoint`, removes
 * old checkpoints, and archives the entries that readers no longer need (`log-files.ts`).
 * Whatever stops it, readers find whole checkpoints of their versions, or none.
 */
export async function putCheckpoint(
  settings: CheckpointSettings,
  table: string,
  snapshot: Snapshot,
  heightColumn: string,
): Promise<void> {
  const { disk, effects, staging } = settings;
  const log = join(table, LOG);
  const staged = join(staging, `checkpoint-${randomUUID()}`);
  const [lines, parquet, last] = [`${staged}.json`, `${staged}.parquet`, `${staged}.last`] as const;
  try {
    await disk.makeFolder(staging);
    await disk.write(lines, checkpointLines(snapshot, heightColumn, effects.now()));
    const written = await convert(settings, lines, parquet);
    effects.reached('checkpoint written');
    await disk.publish([parquet, join(log, checkpointName(snapshot.version))]);
    effects.reached('checkpoint published');
    await disk.write(last, lastCheckpoint(snapshot.version, written, snapshot.files.size));
    await disk.publish([last, join(log, LAST_CHECKPOINT)]);
    effects.reached('checkpoint named');
    const old = checkpointVersions(await disk.list(log)).slice(KEPT_CHECKPOINTS);
    for (const version of old) await disk.remove(join(log, checkpointName(version)));
    await archiveEntries(settings, table);
  } finally {
    for (const path of [lines, parquet, last]) await disk.remove(path).catch(() => undefined);
  }
}

async function convert(
  { writer }: CheckpointSettings,
  lines: string,
  parquet: string,
): Promise<{ rows: number; sizeBytes: number; sha256: string }> {
  await writer.read(checkpointSql(lines, parquet));
  const [row] = await writer.read(`SELECT count(*) FROM read_parquet(${literal(parquet)})`);
  return { rows: Number(row?.[0]), ...(await digestedFile(parquet)) };
}
