import { dataOption, Fault } from '../../fault.ts';
import { checkRoot } from '../../land/data-root.ts';
import { chainsIn, type Lake, withLake } from '../../land/lake.ts';
import { localDisk, machineDisk } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';
import { damageBehind } from '../../land/verify/damage-fault.ts';
import { cacheWarehouse } from '../../load/read-only-warehouse.ts';
import { staleWarehouse } from '../../load/stale-warehouse.ts';
import { noLake, runHolding, runText } from './lake-there.ts';
import { chainsToShow, rebuild } from './rebuild-warehouse.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Rebuilds the warehouse if necessary, and returns the layout with its new place; undefined if the
 * present one is usable. Where the data root cannot be written, or is that of others, whose
 * warehouse is not trusted, the new place is a cache folder.
 */
export async function readyWarehouse(
  paths: Layout,
  { effects, note }: Surroundings,
  isForeign = false,
): Promise<Layout | undefined> {
  const { root, made } = paths;
  await checkRoot(paths, localDisk);
  const stale = isForeign
    ? { why: 'of the data root is not trusted', chains: [] }
    : await staleWarehouse(paths.warehouse);
  if (stale === undefined) return undefined;
  const run = await runHolding(root, effects);
  if ((await chainsIn(root, localDisk)).length === 0) {
    if (run !== undefined) throw await noLake(root, effects);
    return undefined;
  }
  const later =
    run === undefined
      ? ''
      : ` ${runText(run)} To include its rows later, run: windrow load${dataOption(root)}`;
  if (made === root && (isForeign || !(await localDisk.canWrite(root)))) {
    throw new Fault('lake', 'Neither the data root nor a cache folder can be written.', {
      where: root,
      advice: 'Name a folder that this user can write to in XDG_CACHE_HOME.',
    });
  }
  const chains = await chainsToShow(root, stale.chains[0], effects);
  const build = async (lake: Lake): Promise<Layout> => {
    if (made === root) {
      note(`The warehouse ${stale.why}; it is rebuilt from the lake.${later}`);
      await rebuild(lake, effects, localDisk);
    } else {
      const onBuild = (): void =>
        note(
          `The warehouse ${stale.why}. The data root is only read, so another warehouse ` +
            `is built in ${made}. Later commands use it until the lake changes.`,
        );
      const nowMs = effects.now();
      await cacheWarehouse({ lake, disk: localDisk, note, nowMs, onBuild });
    }
    return lake.layout;
  };
  return withLake({ root, made, chains, run: 'load', effects }, build).catch(
    async (error: unknown) => {
      throw (await damageBehind(error, root, localDisk)) ?? error;
    },
  );
}

/** Builds the warehouse of a data root in an object store, which shows the last run's report. */
export async function renewWarehouse(
  { root, runs, lastReport }: Layout,
  newest: Buffer | undefined,
  { effects, note }: Surroundings,
): Promise<void> {
  if ((await chainsIn(root, localDisk)).length === 0) return;
  const chains = await chainsToShow(root, undefined, effects);
  await withLake({ root, chains, run: 'load', effects }, async (lake) => {
    const onBuild = (): void => note('The warehouse of this machine is built from the lake.');
    await cacheWarehouse({ lake, disk: localDisk, note, nowMs: effects.now(), onBuild });
    await machineDisk.makeFolder(runs);
    if (newest !== undefined) await machineDisk.put(lastReport, newest);
  });
}
