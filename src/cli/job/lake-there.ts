import { Fault } from '../../fault.ts';
import { chainsIn, chainsWithQuarantine } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { type Holder, lockHolder } from '../../land/storage/lock.ts';

/** The run that holds the data root now; undefined where none does. */
export function runHolding(root: string): Promise<Holder | undefined> {
  return lockHolder(layout(root).lock);
}

/** That run, as a sentence. */
export function runText({ since, pid, host }: Holder): string {
  const moment = since.slice(0, 19).replace('T', ' ');
  return `A run is under way here since ${moment} UTC (process ${pid} on ${host}).`;
}

/** The fault of whatever needs a lake under a data root that has none. */
export async function noLake(root: string): Promise<Fault> {
  const run = await runHolding(root);
  if (run !== undefined) {
    return new Fault('usage', `There is no lake here yet. ${runText(run)}`, {
      where: root,
      advice: 'It has committed nothing so far: ask again in a moment.',
    });
  }
  return new Fault('usage', 'There is no lake here yet.', {
    where: root,
    advice: 'Run a pipeline first, or name the data root with --data DIR.',
  });
}

/** Throws that fault unless something was landed under the data root, if only in quarantine. */
export async function needLake(root: string): Promise<void> {
  if ((await chainsIn(root, localDisk)).length > 0) return;
  if ((await chainsWithQuarantine(root, localDisk)).length > 0) return;
  throw await noLake(root);
}
