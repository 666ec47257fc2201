import { basename, dirname, join, resolve } from 'node:path';
import { Fault, wordsOf } from '../../fault.ts';
import type { DataFile } from '../delta/actions.ts';
import { CURATED_ADVICE, type Depth, fileDamage, REPAIR_ADVICE } from '../storage/damage.ts';
import type { Disk } from '../storage/disk.ts';
import { layout } from '../storage/layout.ts';
import { isCurated, tablesIn } from './verify-lake.ts';
import { type TablePlace, walkTable } from './verify-table.ts';

/** The fault of a data file that differs from the log. */
function fileFault(place: TablePlace, path: string, what: string, cause?: unknown): Fault {
  const advice = isCurated(place) ? CURATED_ADVICE : REPAIR_ADVICE;
  const details = { where: path, advice, cause };
  return new Fault('lake', `A data file is damaged: the file ${what}.`, details);
}

/** The fault of a file in a folder of curated tables that has gone; undefined for other files. */
async function folderFault(words: string, root: string, disk: Disk): Promise<Fault | undefined> {
  const { curated } = layout(root);
  const [, path = ''] = /"([^"]*)"/.exec(words) ?? [];
  const folder = dirname(resolve(path));
  if (!OF_A_FILE.test(words) || !folder.startsWith(join(resolve(curated), '/'))) return undefined;
  if ((await disk.list(dirname(folder))).includes(basename(folder))) return undefined;
  return new Fault('lake', 'The folder of a curated table has gone.', {
    where: folder,
    advice: CURATED_ADVICE,
    cause: words,
  });
}

/** DuckDB errors about a missing or unreadable file. */
const OF_A_FILE = /\bIO Error|parquet|\bthrift|TProtocol|decompress|corrupt|zstd|out of buffer/i;

/**
 * Finds the damaged file that caused an error of a reader of the lake, or the curated table that
 * has gone; undefined if all files match the log. Compares all sizes, and reads the bytes only if
 * the error message is about a file.
 */
export async function damageBehind(
  error: unknown,
  root: string,
  disk: Disk,
): Promise<Fault | undefined> {
  const words = wordsOf(error);
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
        if (what !== undefined) return fileFault(place, path, what, error);
      }
    }
  }
  return folderFault(words, root, disk);
}
