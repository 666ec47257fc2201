import type { Argv } from 'yargs';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import { type Chains, chainsIn, type Lake, openLake } from '../../land/lake.ts';
import { type Disk, localDisk } from '../../land/storage/disk.ts';
import { damageBehind } from '../../land/verify/damage-fault.ts';
import { type QueryRow, query } from '../../load/query/query.ts';
import { textTable } from '../../load/query/text-table.ts';
import { publishWarehouse } from '../../load/warehouse.ts';
import { systemEffects } from '../../system.ts';
import { noLake } from '../job/lake-there.ts';
import type { Console } from '../terminal/console.ts';
import { jsonDocument, many } from '../terminal/console.ts';
import { data, withExitCodes } from '../terminal/options.ts';
import type { ExitCode } from '../terminal/report.ts';

export function loadOptions(args: Argv) {
  return withExitCodes(args)
    .options({
      data,
      chain: { type: 'string', describe: 'Chain to show, where the lake has several' },
    })
    .example('$0 load', 'after moving the data root, or to see what a run has landed so far');
}

/** How often the warehouse is built again because a run has committed in the meantime. */
const MAX_BUILDS = 5;

/**
 * `windrow load`: rebuilds the warehouse from the lake alone. It takes no lock, so that what a long
 * run has landed can be looked at: the warehouse is published whole. Lest an older one stays where
 * a run has just published its own, it looks again after publishing, and builds again if the lake
 * has moved on.
 */
export async function loadVerb(
  given: { readonly data: string; readonly chain?: string | undefined },
  output: Console,
): Promise<ExitCode> {
  const effects = systemEffects('warn');
  const chains = await chainsToShow(given.data, given.chain);
  const startedMs = effects.now();
  const lake = await openLake({
    root: given.data,
    chains,
    run: 'load',
    effects,
    disk: localDisk,
  });
  try {
    const { path, tables, isNewest } = await rebuild(lake, effects, localDisk);
    if (!isNewest) output.note('A run goes on landing rows: load again when it has ended.');
    const seconds = (effects.now() - startedMs) / 1000;
    const rows = tables.reduce((sum, table) => sum + Number(table['rows'] ?? 0), 0);
    if (output.isJson) {
      output.out(jsonDocument({ data: given.data, warehouse: path, tables, rows, seconds }));
      return 0;
    }
    output.out(textTable(COLUMNS, tables));
    output.out(`${path}: ${many(rows, 'row')}, built in ${seconds.toFixed(1)} s.`);
    return 0;
  } catch (error) {
    throw (await damageBehind(error, given.data, localDisk)) ?? error;
  } finally {
    lake.close();
  }
}

const COLUMNS = [
  { name: 'chain', type: 'VARCHAR' },
  { name: 'dataset', type: 'VARCHAR' },
  { name: 'version', type: 'BIGINT' },
  { name: 'files', type: 'BIGINT' },
  { name: 'rows', type: 'BIGINT' },
  { name: 'bytes', type: 'BIGINT' },
];

/** A lake has one pair of chains, unless sources of several were exported into one data root. */
export async function chainsToShow(root: string, chain: string | undefined): Promise<Chains> {
  const pairs = await chainsIn(root, localDisk);
  const names = [...new Set(pairs.flatMap(({ primary, zone }) => [primary, zone]))];
  const found = pairs.filter(
    ({ primary, zone }) => chain === undefined || primary === chain || zone === chain,
  );
  const [first] = found;
  if (first === undefined) {
    if (pairs.length === 0) throw await noLake(root);
    throw new Fault('usage', `The lake has no chain ${chain}.`, {
      where: root,
      advice: `It has ${names.join(', ')}.`,
    });
  }
  if (found.length > 1) {
    throw new Fault('usage', 'The lake has several chains, and a warehouse shows one.', {
      where: root,
      advice: `Name one: windrow load --chain NAME, of ${names.join(', ')}.`,
    });
  }
  return first;
}

/**
 * Publishes the warehouse until it shows the newest versions of all tables, and returns these. Not
 * `isNewest` where a run commits faster than that.
 */
export async function rebuild(
  lake: Lake,
  effects: Effects,
  disk: Disk,
): Promise<{
  readonly path: string;
  readonly tables: readonly QueryRow[];
  readonly isNewest: boolean;
}> {
  const sql = `SELECT ${COLUMNS.map(({ name }) => name).join(', ')} FROM lake.tables ORDER BY ALL`;
  await lake.indexCoverage();
  for (let build = 1; ; build += 1) {
    const { path } = await publishWarehouse({ lake, effects, disk });
    const { rows: tables } = await query(path, sql);
    const isNewest = await showsNewest(lake, tables);
    if (isNewest || build === MAX_BUILDS) return { path, tables, isNewest };
  }
}

async function showsNewest(lake: Lake, tables: readonly QueryRow[]): Promise<boolean> {
  const built = new Map(tables.map(({ dataset, version }) => [dataset, version]));
  for (const table of await lake.tables()) {
    const { version } = await table.snapshot();
    if (built.get(table.dataset.name) !== version) return false;
  }
  return true;
}
