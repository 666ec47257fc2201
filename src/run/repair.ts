import { join } from 'node:path';
import { datasets, findDataset } from '../catalogue/index.ts';
import { isAskedByHash } from '../coverage/list.ts';
import type { Region } from '../coverage/slice.ts';
import { corroborationOf } from '../fetch/corroborate/corroboration.ts';
import { Committer, type LandedCounts } from '../land/committer.ts';
import { COVERAGE } from '../land/coverage-index.ts';
import type { Lake } from '../land/lake.ts';
import { NAMES } from '../land/names.ts';
import type { Disk } from '../land/storage/disk.ts';
import { joinedRegions } from '../land/verify/lost-regions.ts';
import { type Aside, setAside } from '../land/verify/set-aside.ts';
import {
  type Damage,
  isCurated,
  isFetched,
  type LakeVerification,
  verifyLake,
} from '../land/verify/verify-lake.ts';
import type { TableVerification } from '../land/verify/verify-table.ts';
import type { Plan, PlannedRequest } from '../plan/plan.ts';
import { type LostRegion, planRepair } from '../plan/repair-plan.ts';
import { type ExecutionResult, executePlan } from './execute.ts';
import { type Stops, stoppingWithin } from './interruption.ts';
import { planCheckpoints, renewCheckpoints } from './maintain/checkpoints.ts';
import { maintainedTables } from './maintain/tables.ts';
import type { FailedSlice } from './outcomes.ts';
import { recordChanges } from './reorganisations.ts';
import { type RepairedLogs, repairLogs, stillLost } from './repair-logs.ts';
import { type PriceJob, price } from './run.ts';

export interface RepairJob extends Omit<PriceJob, 'softStop'>, Stops {
  readonly disk: Disk;
  readonly run: string;
}

export interface Repair extends Pick<RepairedLogs, 'mended' | 'cut'> {
  readonly before: LakeVerification;
  readonly after: LakeVerification;
  /** Regions that cannot be fetched again. */
  readonly lost: readonly LostRegion[];
  /** Damaged files whose regions the log does not name. */
  readonly unknown: readonly string[];
  /** Damaged files, and tables with a cut log, whose rows have no list to fetch them from. */
  readonly gone: readonly string[];
  /** Damage in tables of chains that the pipeline does not use. */
  readonly foreign: readonly Damage[];
  readonly failed: readonly FailedSlice[];
  /** Number of slices that did not finish or are not complete. */
  readonly short: number;
  /** Slices and rows that were fetched again. */
  readonly counts: Pick<LandedCounts, 'slices' | 'rows'>;
  /** Whether the first interruption came before the end. */
  readonly isStopped: boolean;
  /** Folder of the damaged files; undefined if no file was moved. */
  readonly aside: string | undefined;
}

/**
 * Removes damaged files from the lake, fetches their rows again, and writes new checkpoints for
 * damaged ones. Moves these files below `damaged/<run>` and never deletes them. The caller must
 * hold the lock. Throws a Fault if the source is unavailable; the next run then fetches the removed
 * rows.
 */
export function repair(job: RepairJob): Promise<Repair> {
  return stoppingWithin(job, (hardStop) => repairUntil({ ...job, hardStop }));
}

async function repairUntil(job: RepairJob): Promise<Repair> {
  const { lake, disk, run, effects, softStop } = job;
  const { layout } = lake;
  const { root } = layout;
  const aside: Aside = { layout, run, disk };
  const before = await verifyLake(root, disk);
  const isOwn = ownTables(lake);
  const damages = before.damages.filter((damage) => isOwn(damage) && !isCurated(damage));
  const foreign = before.damages.filter((damage) => !isOwn(damage));
  const logs = await repairLogs(job, before, damages);
  await dropIndexes(lake, aside, before);
  await dropCurated(lake, aside, before, logs);
  const isCut = before.damages.some(({ kind }) => kind !== 'data file');
  const now = (isCut ? await verifyLake(root, disk) : before).tables
    .filter(isOwn)
    .filter((table) => !isCurated(table));
  const regions: Region[] = [];
  for (const table of now) {
    const lost = await withdraw(lake, aside, table);
    if (!logs.datasets.has(table.table)) regions.push(...lost);
  }
  const committer = new Committer({ lake, run, limits: job.pipeline.commit, effects });
  const fetched = await fetchAgain({ ...job, committer }, regions, logs.datasets);
  const lostByCuts = await stillLost(lake, logs.datasets);
  await lake.indexCoverage();
  await renewCheckpoints(await planCheckpoints(await maintainedTables(lake, 'raw'), disk), job);
  const after = await verifyLake(root, disk);
  const isMoved = (await disk.list(layout.damagedOf(run))).length > 0;
  const unknown = now.flatMap(unknownOrigins);
  const gone = [
    ...now.filter(({ table }) => !isFetched(table)).flatMap(damagedPaths),
    ...logs.cut.filter((table) => !isFetched(table.slice(table.indexOf('/') + 1))),
  ];
  const lost = [...fetched.lost, ...lostByCuts];
  const { mended, cut } = logs;
  const [counts, isStopped] = [committer.counts(), softStop.aborted];
  const outcome = { before, after, mended, cut, unknown, gone, foreign, ...fetched, lost };
  return { ...outcome, counts, isStopped, aside: isMoved ? layout.damagedOf(run) : undefined };
}

/** Returns whether a table belongs to the lake's pair of chains. */
function ownTables(lake: Lake): (table: Pick<Damage, 'chain' | 'table'>) => boolean {
  const chains = new Set(datasets.map(({ name }) => lake.chainOf(name)));
  return ({ chain, table }) => {
    if (chain === NAMES) return true;
    return findDataset(table) === undefined ? chains.has(chain) : lake.chainOf(table) === chain;
  };
}

/** Moves stale or damaged `coverage` tables aside; they are rebuilt from the other logs. */
async function dropIndexes(
  lake: Lake,
  aside: Aside,
  { tables, damages }: LakeVerification,
): Promise<void> {
  for (const { chain, table, folder } of tables) {
    const isStale = damages.some((damage) => damage.chain === chain && damage.kind === 'log entry');
    const isDamaged = damages.some((damage) => damage.chain === chain && damage.table === COVERAGE);
    if (table !== COVERAGE || (!isStale && !isDamaged)) continue;
    if (!datasets.some(({ name }) => lake.chainOf(name) === chain)) continue;
    await setAside(aside, folder);
  }
}

/**
 * Moves the curated tables aside if one of them is damaged, or if a log of the lake was cut: its
 * versions are no longer those that they were made from. They are computed again. Damaged tables of
 * names are moved, too: the next run of each pipeline writes them.
 */
async function dropCurated(
  lake: Lake,
  aside: Aside,
  { damages }: LakeVerification,
  { cut }: RepairedLogs,
): Promise<void> {
  const damaged = new Set(damages.filter(isCurated).map(({ chain }) => chain));
  const names = damaged.delete(NAMES) ? [NAMES] : [];
  const isOutdated = cut.length > 0 || damaged.size > 0;
  const chains = isOutdated ? datasets.map(({ name }) => lake.chainOf(name)) : [];
  for (const chain of new Set([...chains, ...names])) {
    const { curated } = lake.layout;
    if ((await aside.disk.list(curated)).includes(chain))
      await setAside(aside, join(curated, chain));
  }
}

/** Removes the damaged files from a table; returns the regions to fetch again. */
async function withdraw(lake: Lake, aside: Aside, table: TableVerification): Promise<Region[]> {
  if (table.damaged.length === 0) return [];
  const paths = new Set(table.damaged.map(({ path }) => path));
  const isDataset = findDataset(table.table) !== undefined;
  const regions = isDataset ? joinedRegions(table.damaged.flatMap((file) => file.regions)) : [];
  if (isDataset) {
    await lake.table(table.table).withdraw(paths, regions);
  } else {
    const stored = (await lake.storedTables()).find(({ folder }) => folder === table.folder);
    await stored?.publish('WINDROW REPAIR', async (snapshot) => stored.without(snapshot, paths));
  }
  const present = new Set(await aside.disk.list(table.folder));
  for (const path of paths) {
    if (present.has(path)) await setAside(aside, join(table.folder, path));
  }
  return regions;
}

function unknownOrigins({ damaged, ...table }: TableVerification): string[] {
  if (findDataset(table.table) === undefined || !isFetched(table.table)) return [];
  const unknown = damaged.filter(({ rows, regions }) => rows !== 0 && regions.length === 0);
  return damagedPaths({ ...table, damaged: unknown });
}

function damagedPaths({ folder, damaged }: TableVerification): string[] {
  return damaged.map(({ path }) => join(folder, path));
}

type FetchingJob = RepairJob & { readonly committer: Committer };

async function fetchAgain(
  job: FetchingJob,
  regions: readonly Region[],
  toPlan: ReadonlySet<string>,
): Promise<Pick<Repair, 'lost' | 'failed' | 'short'>> {
  if (regions.length === 0 && toPlan.size === 0) return { lost: [], failed: [], short: 0 };
  const wants = ({ request }: PlannedRequest): boolean => toPlan.has(request.dataset);
  const priced = await price({ ...job, intent: { isAgain: false, wants } });
  await recordChanges(job, priced.chainCheck);
  const { plan, lost } = planRepair(job.pipeline, priced.plan.heads, regions);
  const done = [await fetchPlan(job, plan), await fetchPlan(job, priced.plan)];
  // Keys that are found in rows of these tables are known only after the first fetch.
  const lookUps = regions.filter((region) => isAskedByHash(region)).map(({ endpoint }) => endpoint);
  const lookUpIntent = {
    isAgain: false,
    wants: (request: PlannedRequest) =>
      wants(request) || lookUps.includes(request.request.entry.path),
  };
  if (toPlan.size + lookUps.length > 0) {
    done.push(await fetchPlan(job, (await price({ ...job, intent: lookUpIntent })).plan));
  }
  const short = done.reduce((sum, result) => sum + result.short + result.left, 0);
  return { lost, failed: done.flatMap(({ failed }) => failed), short };
}

function fetchPlan(job: FetchingJob, plan: Plan): Promise<ExecutionResult> {
  const corroboration = corroborationOf(job.connection, job.effects);
  return executePlan({ ...job, plan, corroboration, onSlice: () => undefined });
}
