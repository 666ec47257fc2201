import { Fault } from '../../fault.ts';
import { isMounted } from '../../land/places/mounts.ts';
import { layoutToRead } from '../../land/storage/cache-folder.ts';
import { ifThere, localDisk, machineDisk } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';
import { NO_WAREHOUSE } from '../../load/query/open-warehouse.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Uses the warehouse of a data root. If it is missing or unreadable, or was moved with its data
 * root, it is rebuilt from the lake, with a note, and used again; in a cache folder if the data
 * root cannot be written. Where the root belongs to others (`isForeign`), their warehouse could
 * show other rows than the lake: one in the cache folder is used from the start. If a damaged file
 * causes the failure, the fault of that file is thrown.
 */
export async function withReadyWarehouse<T>(
  root: string,
  caller: Surroundings,
  use: (paths: Layout) => Promise<T>,
  isForeign = false,
): Promise<T> {
  const paths = await layoutToRead(root, process, isForeign);
  if (isMounted(root)) {
    // Another machine may have ended a run since the warehouse was built here.
    const reports = [localDisk, machineDisk].map((disk) => disk.readBytes(paths.lastReport));
    const [newest, shown] = await Promise.all(reports.map(ifThere));
    const isShown = (newest ?? Buffer.of()).equals(shown ?? Buffer.of());
    const isThere = (await machineDisk.stat(paths.warehouse)) !== undefined;
    if (!isThere || !isShown) await (await rebuilding()).renewWarehouse(paths, newest, caller);
  }
  let failure: unknown;
  if (!isForeign) {
    try {
      return await use(paths);
    } catch (error) {
      if (!isOfTheLake(error)) throw error;
      failure = error;
    }
  }
  const { readyWarehouse } = await rebuilding();
  const ready = await readyWarehouse(paths, caller, isForeign);
  if (ready === undefined && !isForeign) throw await explained(failure, root);
  return await use(ready ?? paths).catch(async (error: unknown) => {
    throw await explained(error, root);
  });
}

/**
 * Uses the warehouse of a data root, or with `asOf` one over the versions of that time, which is
 * built for this use.
 */
export async function withWarehouseOf<T>(
  { root, asOf }: { readonly root: string; readonly asOf?: string | undefined },
  caller: Surroundings,
  use: (paths: Layout) => Promise<T>,
): Promise<T> {
  if (asOf === undefined) return withReadyWarehouse(root, caller, use);
  const { useAsOf } = await import('./as-of.ts');
  return useAsOf(await layoutToRead(root, process), asOf, caller, use).catch(
    async (error: unknown) => {
      throw await explained(error, root);
    },
  );
}

/** Modules of the whole lake: to load them takes a fifth of the time of a short query. */
const rebuilding = () => import('./ready-warehouse.ts');

/** The fault of the damaged file that caused an error; otherwise the error itself. */
export async function explained(error: unknown, root: string): Promise<unknown> {
  if (!isOfTheLake(error)) return error;
  const { damageBehind } = await import('../../land/verify/damage-fault.ts');
  return (await damageBehind(error, root, localDisk)) ?? error;
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
