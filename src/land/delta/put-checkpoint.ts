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
  LAST_CHECKPOINT,
  lastCheckpoint,
  stateName,
} from './checkpoint.ts';
import { stateContent } from './checkpoint-state.ts';
import { expireLog } from './expiry.ts';
import type { Fold } from './fold.ts';
import { LOG } from './log-files.ts';

interface CheckpointSettings {
  readonly disk: Disk;
  readonly effects: Effects;
  readonly writer: ParquetWriter;
  readonly staging: string;
}

/**
 * Writes the checkpoint of a version in the log of a table, windrow's part first, names it in
 * `_last_checkpoint`, and removes all that has expired. Whatever stops it, readers
 * find whole checkpoints of their versions, or none. Returns the bytes of windrow's part.
 */
export async function putCheckpoint(
  settings: CheckpointSettings,
  table: string,
  fold: Fold,
  heightColumn: string,
): Promise<number> {
  const { disk, effects, staging } = settings;
  const log = join(table, LOG);
  const staged = join(staging, `checkpoint-${randomUUID()}`);
  const [lines, parquet, last] = [`${staged}.json`, `${staged}.parquet`, `${staged}.last`] as const;
  const state = `${staged}.windrow`;
  try {
    await disk.makeFolder(staging);
    let bytes = 0;
    const counted = function* (): Generator<string | Buffer, void, undefined> {
      for (const part of stateContent(fold)) {
        bytes += part.length;
        yield part;
      }
    };
    await disk.write(state, counted());
    effects.reached('checkpoint state written');
    await disk.write(lines, checkpointLines(fold, heightColumn, effects.now()));
    const written = await convert(settings, lines, parquet);
    effects.reached('checkpoint written');
    const [ours, others] = [stateName(fold.version), checkpointName(fold.version)];
    await disk.publish([state, join(log, ours)], [parquet, join(log, others)]);
    effects.reached('checkpoint published');
    await disk.write(last, lastCheckpoint(fold.version, written, fold.files.size));
    await disk.publish([last, join(log, LAST_CHECKPOINT)]);
    effects.reached('checkpoint named');
    await expireLog(disk, table, effects.now());
    return bytes;
  } finally {
    for (const path of [state, lines, parquet, last]) {
      await disk.remove(path).catch(() => undefined);
    }
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
