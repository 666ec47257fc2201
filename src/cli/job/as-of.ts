import { parseMoment } from '../../config/moment.ts';
import { openLake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { withWarehouseAsOf } from '../../load/as-of.ts';
import { systemEffects } from '../../system.ts';
import type { Console } from '../terminal/console.ts';
import { chainsToShow } from './rebuild-warehouse.ts';

/** Uses a warehouse over the versions of the time that `--as-of` gives. */
export async function useAsOf<T>(
  root: string,
  moment: string,
  output: Console,
  use: (warehouse: string) => Promise<T>,
): Promise<T> {
  const asOfMs = parseMoment(moment, '--as-of');
  const chains = await chainsToShow(root, undefined);
  const of = {
    root,
    chains,
    run: 'load',
    effects: systemEffects('warn', process.env, output.note),
    disk: localDisk,
  };
  const lake = await openLake({ ...of, asOfMs });
  try {
    const note = (text: string): void => output.note(text);
    return await withWarehouseAsOf({ lake, asOfMs, disk: localDisk, note }, use);
  } finally {
    lake.close();
  }
}
