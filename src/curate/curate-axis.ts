import { join } from 'node:path';
import type { Axis } from '../catalogue/entry.ts';
import type { CoverageEntry } from '../coverage/coverage.ts';
import type { Interval } from '../coverage/ranges.ts';
import type { Effects } from '../effects.ts';
import { Fault, wordsOf } from '../fault.ts';
import { EVERY_HEIGHT } from '../land/delta/changed-heights.ts';
import type { Snapshot } from '../land/delta/fold.ts';
import { StoredTable } from '../land/delta/stored-table.ts';
import type { Lake } from '../land/lake.ts';
import { damagedFiles } from '../land/storage/damage.ts';
import type { Disk } from '../land/storage/disk.ts';
import { cacheAdvice, diskFault } from '../land/storage/disk-fault.ts';
import type { ChunkEngine } from './chunk-job.ts';
import { type ChunkLimits, ChunkPlanner } from './chunk-planner.ts';
import { ChunkSessions } from './chunk-sessions.ts';
import { CURATED_TABLES, type CuratedTable, readsOf } from './curated-tables.ts';
import { changedSince, dirtyHeights, followedSince, withSmallIntervals } from './dirty-heights.ts';
import { isMadeFrom, type MadeFrom, madeFrom, sourcesOf } from './made-from.ts';
import type { RawState, RawVersion } from './raw-versions.ts';
import { followedNumber } from './rule/environment.ts';
import { RangePlanner } from './rule/range-planner.ts';
import type { RuleSql } from './rule/rule-sql.ts';
import type { CuratedCommit, TableWriter } from './table-writer.ts';
import { withdrawContradictory } from './withdraw.ts';
import { writeChunks } from './write-chunks.ts';

export interface AxisOptions {
  readonly axis: Axis;
  readonly raw: readonly RawVersion[];
  readonly rule: RuleSql;
  readonly environment: number;
  readonly isFull: boolean;
  readonly limits?: ChunkLimits | undefined;
  readonly lake: Lake;
  readonly effects: Effects;
  readonly disk: Disk;
  readonly engine?: ChunkEngine | undefined;
}

export interface AxisResult {
  readonly commits: readonly CuratedCommit[];
  /** False if another process published a version first, or coverage was withdrawn. */
  readonly isCurrent: boolean;
  readonly contradicted: readonly CoverageEntry[];
}

/** The names under which a curated commit keeps the numbers of its rule and of its addresses. */
const ENVIRONMENT = 'windrow/environment';
const FOLLOWED = 'windrow/followed';

/** What decides whether the curated tables of one axis are up to date. */
type Compared = Pick<AxisOptions, 'axis' | 'environment' | 'isFull' | 'lake'> & {
  readonly raw: readonly RawState[];
};

/** The outdated curated tables of one axis, and the versions that they are to be made from. */
interface Outdated {
  readonly snapshots: ReadonlyMap<CuratedTable, Snapshot>;
  readonly stored: Stored;
  /** Versions that the commits will name. */
  readonly made: MadeFrom;
  readonly isFull: boolean;
  /** Names of tables with damaged data files. */
  readonly damaged: readonly string[];
}

interface Work extends Outdated {
  readonly options: AxisOptions;
  readonly sources: readonly RawVersion[];
}

/** Brings the curated tables of one axis up to date, with at most one commit for each table. */
export async function curateAxis(options: AxisOptions): Promise<AxisResult> {
  const outdated = await outdatedOf(options);
  if (outdated === undefined) return { commits: [], isCurrent: true, contradicted: [] };
  const work = { ...outdated, options, sources: sourcesOf(options.axis, options.raw) };
  const { lake, disk, effects } = options;
  if (work.damaged.length > 0) {
    const names = work.damaged.join(', ');
    const all = `all curated tables of the ${options.axis} chain are computed again`;
    effects.log('warn', `Data files of curated tables are damaged (${names}): ${all}.`);
  }
  const folder = lake.layout.stagingOf(lake.run);
  await disk.makeFolder(folder);
  const sessions = new ChunkSessions(lake.layout.spilledOf(lake.run));
  const range = new RangePlanner(await sessions.open(), { ...options, folder });
  try {
    const { isFull, snapshots, stored } = work;
    const isReplaced = [...snapshots.keys()].some(({ name }) => name === stored.name);
    // A full computation reads no table that it replaces, and whose files may be gone.
    const paths = isFull && isReplaced ? [] : stored.paths;
    const planner = new ChunkPlanner(range, paths, options.limits);
    await planner.prepare();
    const written = await writeChunks({
      ...{ planner, sessions, engine: options.engine, isFull },
      dirty: isFull ? EVERY_HEIGHT : await dirtyOf(work, planner),
      snapshots,
      settingsOf: ({ axis, name }) => lake.curatedStorage(axis, name),
    });
    if (written.contradictions.length === 0) return await commitAll(work, written.writers);
    const contradicted = await withdrawContradictory(lake, written.contradictions, written.dirty);
    return { commits: [], isCurrent: false, contradicted };
  } catch (error) {
    const fault = diskFault(error, lake.layout.root);
    if (fault instanceof Fault) throw fault;
    throw new Fault('lake', `The curated tables could not be built: ${wordsOf(error)}`, {
      where: lake.layout.root,
      advice: cacheAdvice(error) ?? {
        text: 'They are unchanged. verify names broken files.',
        command: 'windrow verify',
      },
      cause: error,
    });
  } finally {
    sessions.close();
    for (const path of range.handed.files) await disk.remove(path);
  }
}

/** Whether every curated table of the axis is made from these versions of the raw tables. */
export async function isAxisCurrent(compared: Compared): Promise<boolean> {
  return (await outdatedOf(compared)) === undefined;
}

/** Undefined if every curated table of the axis is up to date. */
async function outdatedOf(options: Compared): Promise<Outdated | undefined> {
  const { axis, raw, environment, lake } = options;
  const sources = sourcesOf(axis, raw);
  const snapshots = new Map<CuratedTable, Snapshot>();
  for (const table of CURATED_TABLES) {
    if (table.axis === axis) snapshots.set(table, await snapshotOf(lake, table));
  }
  const former = [...snapshots.values()];
  const hasRows = sources.some((table) => table.axis === axis && table.version >= 0);
  if (!hasRows && former.every(({ version }) => version < 0)) return undefined;
  const stored = await storedOf(options, snapshots);
  const made = new Map(madeFrom(axis, raw, former, stored.snapshot))
    .set(ENVIRONMENT, environment)
    .set(FOLLOWED, followedNumber(raw));
  const isCurrent = former.every((snapshot) => isMadeFrom(snapshot, made, sources));
  const damaged = await damagedAmong(lake, snapshots);
  if (isCurrent && damaged.length === 0 && !options.isFull) return undefined;
  const isSame = former.every(({ transactions }) => transactions.get(ENVIRONMENT) === environment);
  const isFull = options.isFull || !isSame || damaged.length > 0;
  return { snapshots, stored, made, isFull, damaged };
}

/** The tables with data files that are missing, or whose size differs from that in the log. */
async function damagedAmong(
  lake: Lake,
  snapshots: ReadonlyMap<CuratedTable, Snapshot>,
): Promise<string[]> {
  const damaged: string[] = [];
  for (const [table, { files }] of snapshots) {
    const { folder } = lake.curatedStorage(table.axis, table.name);
    const damages = await damagedFiles(folder, files.values(), 'sizes');
    if (damages.length > 0) damaged.push(table.name);
  }
  return damaged;
}

/** Names of the curated tables with damaged files: the next `curateAxis` computes them again. */
export async function damagedTables(lake: Lake): Promise<string[]> {
  const snapshots = new Map<CuratedTable, Snapshot>();
  for (const table of CURATED_TABLES) snapshots.set(table, await snapshotOf(lake, table));
  return damagedAmong(lake, snapshots);
}

async function commitAll(
  { stored, made }: Work,
  writers: readonly TableWriter[],
): Promise<AxisResult> {
  const commits: CuratedCommit[] = [];
  // The table that later changes are compared with is last, so it is never the newest one.
  const compared = writers.filter(({ table }) => table.name === stored.name);
  for (const writer of [...writers.filter((writer) => !compared.includes(writer)), ...compared]) {
    const commit = await writer.commit(made);
    if (commit === undefined) return { commits, isCurrent: false, contradicted: [] };
    commits.push(commit);
  }
  return { commits, isCurrent: true, contradicted: [] };
}

/** The curated table on disk that the queries of an axis read. */
interface Stored {
  readonly name: string;
  readonly paths: readonly string[];
  readonly snapshot: Snapshot;
}

async function storedOf(
  { axis, lake }: Compared,
  snapshots: ReadonlyMap<CuratedTable, Snapshot>,
): Promise<Stored> {
  const name = readsOf(axis).stored;
  const table = CURATED_TABLES.find((table) => table.name === name);
  if (table === undefined) throw new Error(`there is no curated table ${name}`);
  const snapshot = snapshots.get(table) ?? (await snapshotOf(lake, table));
  return { name, paths: pathsOf(lake, table, snapshot), snapshot };
}

/** The newest version of a curated table. */
export async function snapshotOf(lake: Lake, table: CuratedTable): Promise<Snapshot> {
  return curatedTable(lake, table).snapshot();
}

/** A curated table, to be read: its versions come from its log alone. */
export function curatedTable(lake: Lake, table: CuratedTable): StoredTable {
  return new StoredTable(lake.curatedStorage(table.axis, table.name), {
    name: table.name,
    summary: '',
    columns: [],
    heightColumn: table.heightColumn,
    sortedBy: table.sortedBy,
    isBySource: false,
  });
}

/** The heights to be computed again. */
async function dirtyOf(
  { options: { axis, lake, raw }, sources, snapshots, made }: Work,
  planner: ChunkPlanner,
): Promise<readonly Interval[]> {
  for (const [table, snapshot] of snapshots) {
    await planner.range.addStored(table.name, pathsOf(lake, table, snapshot));
  }
  const former = [...snapshots.values()].map(({ transactions }) => transactions);
  const axisTables = sources.filter((table) => table.axis === axis);
  const others = sources.filter((table) => table.axis !== axis);
  const changes = withSmallIntervals(await changedSince(axisTables, former), (interval) =>
    planner.isSmall(interval),
  );
  const isSame = former.every((versions) => versions.get(FOLLOWED) === made.get(FOLLOWED));
  const followed = isSame ? [] : [await followedSince(raw, former)];
  const all = [changes, ...followed];
  return dirtyHeights(
    planner.range,
    { heights: all.flatMap(({ heights }) => heights), keyed: all.flatMap(({ keyed }) => keyed) },
    await changedSince(others, former),
  );
}

/** Paths of the data files of a curated table. */
function pathsOf(lake: Lake, { axis, name }: CuratedTable, { files }: Snapshot): string[] {
  const { folder } = lake.curatedStorage(axis, name);
  return [...files.keys()].map((path) => join(folder, path));
}
