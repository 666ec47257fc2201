import { join } from 'node:path';
import { Fault } from '../../fault.ts';
import type { DataFile } from '../delta/actions.ts';
import { REPAIR_ADVICE } from '../storage/damage.ts';
import type { Disk } from '../storage/disk.ts';
import { type Depth, fileDamage } from './data-files.ts';
import { tablesIn } from './verify-lake.ts';
import { walkTable } from './verify-table.ts';

/** The fault of a data file that is not what was written: the same one from every command. */
function fileFault(path: string, what: string, cause?: unknown): Fault {
  const details = { where: path, advice: REPAIR_ADVICE, cause };
  return new Fault('lake', `A data file is damaged: the file ${what}.`, details);
}

/** Words of DuckDB about a file that it could not find, or could not make sense of. */
const OF_A_FILE = /\bIO Error|parquet|\bthrift|TProtocol|decompress|corrupt|zstd|magic bytes/i;

/**
 * The damage behind an error of a reader of the lake, as a fault that says what to do; undefined
 * where every file is what was written. Sizes are always compared; bytes are read where the words
 * of the error speak of a file.
 */
export async function damageBehind(
  error: unknown,
  root: string,
  disk: Disk,
): Promise<Fault | undefined> {
  const words = error instanceof Error ? error.message : String(error);
  const depths: Depth[] = OF_A_FILE.test(words) ? ['sizes', 'bytes'] : ['sizes'];
  for (const depth of depths) {
    for (const place of await tablesIn(root, disk)) {
      const live = new Map<string, DataFile>();
      await walkTable(place, ({ added, removed }) => {
        for (const path of removed) live.delete(path);
        for (const file of added) live.set(file.path, file);
      });
      for (const file of live.values()) {
        const path = join(place.folder, file.path);
        const what = await fileDamage(path, file, depth);
        if (what !== undefined) return fileFault(path, what, error);
      }
    }
  }
  return undefined;
}
