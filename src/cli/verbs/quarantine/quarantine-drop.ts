import { Fault } from '../../../fault.ts';
import { markRoot } from '../../../land/data-root.ts';
import { chainsIn, withLake } from '../../../land/lake.ts';
import { locked } from '../../../land/lock/lock.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { layout } from '../../../land/storage/layout.ts';
import { windrowVersion } from '../../../run/job/version.ts';
import { eachQuarantine, idsIn, keptIn, needIds } from '../../../run/lake/kept-records.ts';
import { rebuild } from '../../../run/lake/rebuild-warehouse.ts';
import { systemEffects } from '../../../system.ts';
import type { Console } from '../../terminal/console.ts';
import { many } from '../../terminal/console.ts';
import type { VerbResult } from '../../terminal/verb-result.ts';

interface Given {
  readonly id: readonly string[];
  readonly data: string;
  readonly all: boolean;
}

/** `windrow quarantine drop`: removes records for good, without a confirmation. */
export async function dropVerb(given: Given, output: Console): Promise<VerbResult> {
  if (!given.all) needIds(given.id, 'drop, or give --all');
  if (given.all && given.id.length > 0) {
    throw new Fault('usage', 'Ids and --all exclude each other.', {
      advice: 'Name the records to drop, or give --all.',
    });
  }
  const { lock, lake } = layout(given.data);
  // A data root without a lake stays as it is, without a lock.
  const isEmpty = (await localDisk.list(lake)).length === 0;
  if (!isEmpty) await markRoot(given.data, windrowVersion(), localDisk);
  const work = async (): Promise<number> => {
    const dropped = await drop(given);
    if (dropped > 0) await rebuildWarehouse(given.data, output);
    return dropped;
  };
  const dropped = isEmpty ? await work() : await locked(lock, systemEffects('warn'), work);
  const lines = [`${many(dropped, 'record')} dropped.`];
  return { document: { data: given.data, dropped }, lines, exitCode: 0 };
}

/** Finds and drops the records while the caller holds the lock. Returns their number. */
async function drop({ id, data, all }: Given): Promise<number> {
  const effects = systemEffects('warn');
  const kept = await keptIn(data, effects);
  const chosen = all ? new Set(kept.map(({ record }) => record.id)) : idsIn(kept, id, data);
  const time = new Date(effects.now()).toISOString().replace(/[-:]|\.\d+/g, '');
  let dropped = 0;
  await eachQuarantine(data, `${time}-drop`, effects, async (lake) => {
    for (const quarantine of lake.quarantines()) {
      const records = (await quarantine.records()).filter((record) => chosen.has(record.id));
      dropped += await quarantine.drop(records.map((record) => record.id));
    }
  });
  return dropped;
}

/** Publishes the change in the warehouse, if the data root has one pair of chains. */
async function rebuildWarehouse(root: string, output: Console): Promise<void> {
  const effects = systemEffects('warn');
  const pairs = await chainsIn(root, localDisk);
  const [chains] = pairs;
  if (chains === undefined) return;
  if (pairs.length > 1) {
    output.note('The lake has several chains: windrow load --chain NAME shows the change.');
    return;
  }
  await withLake({ root, chains, run: 'load', effects }, async (lake) => {
    await rebuild(lake, effects, localDisk);
  });
}
