import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CoverageEntry } from '../coverage/coverage.ts';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import type { Lake } from '../land/lake.ts';
import type { Disk } from '../land/storage/disk.ts';
import { memoryLimitBytes } from '../land/storage/memory-limit.ts';
import { setAside } from '../land/verify/set-aside.ts';
import type { ChunkEngine } from './chunk-job.ts';
import { type ChunkLimits, ChunkPlanner, type CuratedShape } from './chunk-planner.ts';
import {
  curateAxis,
  curatedTable,
  damagedTables,
  isAxisCurrent,
  snapshotOf,
} from './curate-axis.ts';
import { CURATED_TABLES, type CuratedTable } from './curated-tables.ts';
import { datasetsOfCurated, rawStates, rawVersions, versionKey } from './raw-versions.ts';
import { environmentOf } from './rule/environment.ts';
import { RangePlanner } from './rule/range-planner.ts';
import { RangeSession } from './rule/range-session.ts';
import { type RuleSql, ruleSql } from './rule/rule-sql.ts';
import type { CuratedCommit } from './table-writer.ts';
import { contradictionTexts } from './withdraw.ts';

export interface CurateOptions {
  readonly lake: Lake;
  readonly effects: Effects;
  readonly disk: Disk;
  /** Computes every height again. */
  readonly isFull?: boolean;
  /** How much is computed at once. */
  readonly limits?: ChunkLimits;
  /** Computes the chunks elsewhere. */
  readonly engine?: ChunkEngine | undefined;
}

export interface Curated {
  /** The commits that were needed. */
  readonly commits: readonly CuratedCommit[];
  /** Coverage that is inconsistent from now on, because lists contradict each other. */
  readonly contradicted: readonly CoverageEntry[];
}

/** How often curating starts again because another process has published a version meanwhile. */
const MAX_RACES = 10;

/**
 * Brings the curated tables up to date with the raw tables. Only heights are computed whose rows or
 * coverage have changed since the last commit. Each table has a commit of its own, so after a crash
 * some may be one step behind, until the next call. Throws Fault('lake') for a failing disk or an
 * unreadable file.
 */
export async function curate(options: CurateOptions): Promise<Curated> {
  const commits: CuratedCommit[] = [];
  const contradicted: CoverageEntry[] = [];
  if (options.isFull === true) await setUnreadableAside(options);
  const rule = await ruleSql();
  if (await isCurrent(options, rule)) return { commits, contradicted };
  let raw = await rawVersions(options.lake);
  const environment = environmentOf(rule);
  for (const axis of ['primary', 'zone'] as const) {
    let isWritten = false;
    for (let race = 0; ; race += 1) {
      if (race > 0) raw = await rawVersions(options.lake);
      const isFull = options.isFull === true && !isWritten;
      const done = await curateAxis({ ...options, axis, raw, rule, environment, isFull });
      commits.push(...done.commits);
      contradicted.push(...done.contradicted);
      for (const text of contradictionTexts(done.contradicted)) options.effects.log('warn', text);
      if (done.isCurrent) break;
      isWritten ||= done.contradicted.length === 0;
      if (race === MAX_RACES) throw lostRaces(options.lake);
    }
  }
  return { commits, contradicted };
}

/** Whether no table has anything to compute. */
async function isCurrent({ lake, isFull = false }: CurateOptions, rule: RuleSql): Promise<boolean> {
  const raw = await rawStates(lake);
  const environment = environmentOf(rule);
  for (const axis of ['primary', 'zone'] as const) {
    if (!(await isAxisCurrent({ lake, axis, raw, environment, isFull }))) return false;
  }
  return true;
}

/**
 * The curated tables that are older than the raw tables of their chain: a run was killed between
 * landing and curating, or has not come to curating yet.
 */
export async function tablesBehind(lake: Lake): Promise<OutdatedTable[]> {
  const raw = (await rawStates(lake)).filter(({ version }) => version >= 0);
  const behind: OutdatedTable[] = [];
  for (const table of CURATED_TABLES) {
    const { version, transactions } = await snapshotOf(lake, table);
    const sources = raw.filter(({ axis }) => axis === table.axis);
    const isCurrent = sources.every(
      (table) => transactions.get(versionKey(table)) === table.version,
    );
    if (!isCurrent) behind.push({ name: table.name, isMade: version >= 0 });
  }
  return behind;
}

interface OutdatedTable {
  readonly name: string;
  /** False for a table without a version, although its chain has raw tables. */
  readonly isMade: boolean;
}

/**
 * Names of the curated tables that the next run or `windrow load` computes: those behind, and those
 * with damaged data files.
 */
export async function tablesToCompute(lake: Lake): Promise<string[]> {
  const behind = (await tablesBehind(lake)).map(({ name }) => name);
  return [...new Set([...behind, ...(await damagedTables(lake))])];
}

/** Absolute paths of the data files of every curated table, at its newest version. */
export async function curatedFiles(lake: Lake): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = new Map<string, readonly string[]>();
  for (const table of CURATED_TABLES) {
    const snapshot = await snapshotOf(lake, table);
    const { folder } = lake.curatedStorage(table.axis, table.name);
    files.set(
      table.name,
      [...snapshot.files.keys()].map((path) => resolve(folder, path)),
    );
  }
  return files;
}

/** The shapes of all curated tables. */
export async function curatedShapes(): Promise<ReadonlyMap<CuratedTable, CuratedShape>> {
  const raw = datasetsOfCurated().map((dataset) => ({
    dataset,
    files: [],
    pathOf: () => '',
    coverage: [],
  }));
  const rule = await ruleSql();
  const spilledTo = join(tmpdir(), 'windrow-spilled');
  const shapes = new Map<CuratedTable, CuratedShape>();
  for (const axis of ['primary', 'zone'] as const) {
    const session = await RangeSession.open({ spilledTo, memoryBytes: memoryLimitBytes() });
    try {
      const planner = new ChunkPlanner(new RangePlanner(session, { axis, raw, rule }));
      for (const [table, shape] of await planner.shapes()) shapes.set(table, shape);
    } finally {
      session.close();
    }
  }
  return shapes;
}

/**
 * Moves curated tables whose logs cannot be read to `damaged`: they are computed from nothing.
 * Damaged tables of names are moved, too: the next run of each pipeline writes them.
 */
async function setUnreadableAside({ lake, disk }: CurateOptions): Promise<void> {
  const isReadable = new Map<string, () => Promise<unknown>>();
  for (const table of CURATED_TABLES) {
    const stored = curatedTable(lake, table);
    isReadable.set(stored.folder, () => stored.snapshot().then(() => true));
  }
  for (const names of lake.names.values()) {
    isReadable.set(names.stored.folder, () => names.isWhole());
  }
  for (const [folder, read] of isReadable) {
    const isWhole = await read().catch((error: unknown) => {
      if (error instanceof Fault) return false;
      throw error;
    });
    if (isWhole === false) await setAside({ layout: lake.layout, run: lake.run, disk }, folder);
  }
}

function lostRaces({ layout }: Lake): Fault {
  return new Fault('lake', `Other processes changed the curated tables ${MAX_RACES} times.`, {
    where: layout.root,
    advice: 'Load one at a time.',
  });
}
