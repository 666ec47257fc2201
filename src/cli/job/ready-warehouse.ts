import { Fault } from '../../fault.ts';
import { chainsIn, openLake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { damageBehind } from '../../land/verify/damage-fault.ts';
import { NO_WAREHOUSE } from '../../load/query/open-warehouse.ts';
import { staleWarehouse } from '../../load/stale-warehouse.ts';
import { systemEffects } from '../../system.ts';
import type { Console } from '../terminal/console.ts';
import { noLake, runHolding, runText } from './lake-there.ts';
import { chainsToShow, rebuild } from './rebuild-warehouse.ts';

/**
 * Uses the warehouse of a data root. If the warehouse is missing, unreadable, or was moved with its
 * data root, it is rebuilt from the lake, with a note, and used again. If a damaged file causes the
 * failure, the fault of that file is thrown.
 */
export async function withReadyWarehouse<T>(
  root: string,
  output: Console,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (!isOfTheLake(error)) throw error;
    if (!(await readyWarehouse(root, output))) throw await explained(error, root);
  }
  return use().catch(async (error: unknown) => {
    throw await explained(error, root);
  });
}

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
  const effects = systemEffects('warn');
  const chains = await chainsToShow(root, stale.chains[0]);
  const lake = await openLake({ root, chains, run: 'load', effects, disk: localDisk });
  try {
    await rebuild(lake, effects, localDisk);
    return true;
  } catch (error) {
    throw await explained(error, root);
  } finally {
    lake.close();
  }
}

/** The fault of the damaged file that caused an error; otherwise the error itself. */
async function explained(error: unknown, root: string): Promise<unknown> {
  return isOfTheLake(error) ? ((await damageBehind(error, root, localDisk)) ?? error) : error;
}

/** Errors of DuckDB about the statement itself. */
const OF_THE_STATEMENT = /\b(Parser|Binder|Catalog|Conversion|Out of Range) Error\b/;

/** Whether files may have caused the error. Faults that windrow itself raises have no cause. */
function isOfTheLake(error: unknown): boolean {
  if (!(error instanceof Fault)) return false;
  if (error.kind === 'lake' || error.message === NO_WAREHOUSE) return true;
  const isByDuckDb = error.kind === 'query' && error.cause !== undefined;
  return isByDuckDb && !OF_THE_STATEMENT.test(error.message);
}
