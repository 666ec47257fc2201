import { chainsIn, withLake } from '../../../land/lake.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { SubmissionTable } from '../../../run/submit/submission-table.ts';
import { systemEffects } from '../../../system.ts';

/** Opens the submissions of each chain under a data root, one chain at a time, for reading. */
export async function eachSubmissionTable(
  root: string,
  use: (table: SubmissionTable) => Promise<void>,
): Promise<void> {
  const effects = systemEffects('warn');
  for (const chains of await chainsIn(root, localDisk)) {
    await withLake({ root, chains, run: 'contract-list', effects }, async (lake) => {
      await use(await SubmissionTable.open(lake));
    });
  }
}
