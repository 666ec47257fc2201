import type { ChunkEngine } from '../../curate/chunk-job.ts';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import { type Chains, chainsIn, type Lake } from '../../land/lake.ts';
import { shortenedText } from '../../land/shortened-log.ts';
import { REPAIR_ADVICE } from '../../land/storage/damage.ts';
import { type Disk, localDisk } from '../../land/storage/disk.ts';
import { type QueryRow, query } from '../../load/query/query.ts';
import { publishWarehouse } from '../../load/warehouse.ts';
import { noLake } from './lake-there.ts';

/** How often the warehouse is built again because a run has committed in the meantime. */
const MAX_BUILDS = 5;

/** A lake has one pair of chains, unless sources of several were exported into one data root. */
export async function chainsToShow(
  root: string,
  chain: string | undefined,
  effects: Effects,
): Promise<Chains> {
  const pairs = await chainsIn(root, localDisk);
  const names = [...new Set(pairs.flatMap(({ primary, zone }) => [primary, zone]))];
  const matches = pairs.filter(
    ({ primary, zone }) => chain === undefined || primary === chain || zone === chain,
  );
  const [first] = matches;
  if (first === undefined) {
    if (pairs.length === 0) throw await noLake(root, effects);
    throw new Fault('usage', `The lake has no chain ${chain}.`, {
      where: root,
      advice: `It has ${names.join(', ')}.`,
    });
  }
  if (matches.length > 1) {
    throw new Fault('usage', 'The lake has several chains, and a warehouse shows one.', {
      where: root,
      advice: `Name one with --chain NAME: ${names.join(', ')}.`,
    });
  }
  return first;
}

/**
 * Publishes the warehouse until it shows the newest versions of all tables, and returns these.
 * `isFull` computes all curated rows again, in `engine` if there is one. `isNewest` is false if a
 * run commits faster than that. Throws Fault('lake') for a table that lacks versions it once had,
 * unless `isFull`.
 */
export async function rebuild(
  lake: Lake,
  effects: Effects,
  disk: Disk,
  isFull = false,
  engine?: ChunkEngine,
): Promise<{
  readonly path: string;
  readonly tables: readonly QueryRow[];
  readonly isNewest: boolean;
}> {
  // Only the coverage tables still list lost versions, and building the warehouse overwrites them.
  if (!isFull) await needWholeLogs(lake);
  const sql = 'SELECT chain, dataset, version, files, rows, bytes FROM lake.tables ORDER BY ALL';
  for (let build = 1; ; build += 1) {
    // A second build only adds what landed during the first.
    const settings = { lake, effects, disk, isFull: isFull && build === 1, engine };
    const { path } = await publishWarehouse(settings);
    const { rows: tables } = await query(path, sql);
    const isNewest = await showsNewest(lake, tables);
    if (isNewest || build === MAX_BUILDS) return { path, tables, isNewest };
  }
}

/** Throws Fault('lake') for a table that lacks versions it once had. */
export async function needWholeLogs(lake: Lake): Promise<void> {
  const [shortened] = await lake.shortenedLogs();
  if (shortened === undefined) return;
  const text = `load --full goes on without the lost rows. ${REPAIR_ADVICE.text}`;
  const advice = { ...REPAIR_ADVICE, text };
  throw new Fault('lake', shortenedText(shortened), { where: shortened.folder, advice });
}

async function showsNewest(lake: Lake, tables: readonly QueryRow[]): Promise<boolean> {
  const built = new Map(tables.map(({ dataset, version }) => [dataset, version]));
  for (const table of await lake.tables()) {
    const { version } = await table.snapshot();
    if (built.get(table.dataset.name) !== version) return false;
  }
  return true;
}
