import { Fault, suggestion } from '../../fault.ts';
import { type Lake, withLake } from '../../land/lake.ts';
import { readReport } from '../../land/reports/run-reports.ts';
import { type Disk, localDisk } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';
import { type AsOf, withWarehouseAsOf } from '../../load/as-of.ts';
import { parseMoment } from '../../pipeline/syntax/moment.ts';
import { chainsToShow } from './rebuild-warehouse.ts';
import type { Surroundings } from './surroundings.ts';

/** Uses a warehouse over the versions that `--as-of` gives. */
export async function useAsOf<T>(
  paths: Layout,
  text: string,
  { effects, note }: Surroundings,
  use: (paths: Layout) => Promise<T>,
): Promise<T> {
  const { root, made } = paths;
  const chains = await chainsToShow(root, undefined, effects);
  const options = { root, made, chains, run: 'load', effects };
  return withLake(options, async (newest) => {
    const nowMs = effects.now();
    const asOf = await parseAsOf(text, { lake: newest, disk: localDisk, nowMs });
    if (asOf.ms >= nowMs) {
      note(`No version is later than ${text} so far: the next run may change this answer.`);
    }
    return withLake({ ...options, asOfMs: asOf.ms }, (lake) =>
      withWarehouseAsOf({ lake, newest, asOf, disk: localDisk, note }, (warehouse) =>
        use({ ...paths, warehouse }),
      ),
    );
  });
}

/** The newest versions of a lake. */
export interface LakeNow {
  readonly lake: Pick<Lake, 'layout' | 'tables' | 'committedAt'>;
  readonly disk: Disk;
  readonly nowMs: number;
}

const RUN = /^\d{8}T\d{6}Z-[0-9a-f]{6}$/;
const VERSION = /^(?:lake\.)?(\w+)@(\d{1,15})$/;

/**
 * What `--as-of` gives: a time, the end of a run (`20260131T120000Z-1f2e3d`), or the last moment
 * before the version of a raw table was replaced (`transactions@12`), which is now for the newest
 * version. Throws Fault('usage') for other texts, and for unknown runs, tables and versions.
 */
export async function parseAsOf(text: string, now: LakeNow): Promise<AsOf> {
  if (RUN.test(text)) return { ms: await endOfRun(text, now) };
  const [, dataset, version] = VERSION.exec(text) ?? [];
  if (dataset === undefined) return { ms: parseMoment(text, '--as-of') };
  return asOfVersion(dataset, Number(version), now);
}

async function endOfRun(run: string, { lake, disk }: LakeNow): Promise<number> {
  const report = await readReport(lake.layout, disk, run);
  if (report?.endedAt !== undefined) return Date.parse(report.endedAt);
  const problem = report === undefined ? 'has no report' : 'has no end';
  throw new Fault('usage', `--as-of cannot be the end of run ${run}, which ${problem}.`, {
    where: lake.layout.root,
    advice: { text: 'Name a run that has ended, or give a time.', command: 'windrow runs' },
  });
}

async function asOfVersion(
  dataset: string,
  version: number,
  { lake, nowMs }: LakeNow,
): Promise<AsOf> {
  const tables = await lake.tables();
  const table = tables.find((table) => table.dataset.name === dataset);
  if (table === undefined) {
    const names = tables.map((table) => table.dataset.name);
    throw new Fault('usage', `--as-of names a raw table that the lake does not have: ${dataset}.`, {
      where: lake.layout.root,
      advice: suggestion(dataset, names),
    });
  }
  const { version: newest } = await table.snapshot();
  if (version > newest) {
    throw new Fault('usage', `lake.${dataset} has no version ${version} (--as-of).`, {
      where: lake.layout.root,
      advice: `Its newest version is ${newest}.`,
    });
  }
  const tableVersion = { dataset, version };
  // Entries of other programs may have no time.
  for (let next = version + 1; next <= newest; next += 1) {
    const atMs = await lake.committedAt(dataset, next);
    if (atMs === undefined) {
      throw new Fault('usage', `Version ${version} of lake.${dataset} has expired (--as-of).`, {
        where: lake.layout.root,
        advice: 'Give a later version or a time: log entries expire after a week.',
      });
    }
    if (atMs > 0) return { ms: atMs - 1, table: tableVersion };
  }
  return { ms: nowMs, table: tableVersion };
}
