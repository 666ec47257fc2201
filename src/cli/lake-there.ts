import { Fault } from '../fault.ts';
import { localDisk } from '../land/disk.ts';
import { chainsIn, chainsWithQuarantine } from '../land/lake.ts';

/** The fault of whatever needs a lake under a data root that has none. */
export function noLake(root: string): Fault {
  return new Fault('usage', 'There is no lake here yet.', {
    where: root,
    advice: 'Run a pipeline first, or name the data root with --data DIR.',
  });
}

/** Throws that fault unless something was landed under the data root, if only in quarantine. */
export async function needLake(root: string): Promise<void> {
  if ((await chainsIn(root, localDisk)).length > 0) return;
  if ((await chainsWithQuarantine(root, localDisk)).length > 0) return;
  throw noLake(root);
}
