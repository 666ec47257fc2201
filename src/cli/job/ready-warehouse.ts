import { Fault } from '../../fault.ts';
import { chainsIn, openLake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { damageBehind } from '../../land/verify/damage-fault.ts';
import { staleWarehouse } from '../../load/stale-warehouse.ts';
import { systemEffects } from '../../system.ts';
import type { Console } from '../terminal/console.ts';
import { noLake, runHolding, runText } from './lake-there.ts';
import { chainsToShow, rebuild } from './rebuild-warehouse.ts';

/** Rebuilds the warehouse if necessary; true if it was rebuilt. */
export async function readyWarehouse(root: string, output: Console): Promise<boolean> {
  const stale = await staleWarehouse(layout(root).warehouse);
  if (stale === undefined) return false;
  const run = await runHolding(root);
  if ((await chainsIn(root, localDisk)).length === 0) {
    if (run !== undefined) throw await noLake(root);
    return false;
  }
  const later =
    run === undefined ? '' : ` ${runText(run)} Run windrow load later to include its rows.`;
  output.note(`The warehouse ${stale.why}; it is rebuilt from the lake.${later}`);
  const effects = systemEffects('warn', process.env, output.note);
  const chains = await chainsToShow(root, stale.chains[0]);
  const lake = await openLake({ root, chains, run: 'load', effects, disk: localDisk });
  try {
    await rebuild(lake, effects, localDisk);
    return true;
  } catch (error) {
    throw await faultBehind(error, root);
  } finally {
    lake.close();
  }
}

/** The fault of the damaged file that caused a fault; otherwise the error itself. */
export async function faultBehind(error: unknown, root: string): Promise<unknown> {
  if (!(error instanceof Fault)) return error;
  return (await damageBehind(error, root, localDisk)) ?? error;
}
