import { join } from 'node:path';
import type { Lake } from '../../land/lake.ts';
import { shortenedText } from '../../land/shortened-log.ts';
import { fileDamage } from '../../land/storage/damage.ts';

/** A data file that is missing or has another size than the log says, or a log without its end. */
export interface DamagedFile {
  readonly path: string;
  readonly finding: string;
}

/**
 * Damage of raw tables that needs no file to be read: data files of another size, and log entries
 * that are gone. `windrow verify` reads the bytes.
 */
export async function damagedFiles(lake: Lake): Promise<DamagedFile[]> {
  const found: DamagedFile[] = [];
  for (const { folder, newest, version } of await lake.shortenedLogs()) {
    found.push({ path: join(folder, '_delta_log'), finding: shortenedText({ newest, version }) });
  }
  for (const table of await lake.storedTables()) {
    const { files } = await table.snapshot();
    for (const file of files.values()) {
      const path = table.pathOf(file);
      const damage = await fileDamage(path, file, 'sizes');
      if (damage !== undefined) found.push({ path, finding: `The data file ${damage}.` });
    }
  }
  return found;
}
