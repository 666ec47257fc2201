import { join } from 'node:path';
import type { Axis } from '../catalogue/entry.ts';
import { datasetNamed, datasets, findDataset, pendingStateOf } from '../catalogue/index.ts';
import { Coverage } from '../coverage/coverage.ts';
import type { Effects } from '../effects.ts';
import { CAPTURED_TABLES, CapturedTable, isCaptured } from './captured-table.ts';
import { COVERAGE, CoverageIndex, type IndexedCoverage } from './coverage-index.ts';
import { checkRoot } from './data-root.ts';
import { committedAtVersion } from './delta/log-files.ts';
import type { CommitTurn, StorageSettings, StoredTable } from './delta/stored-table.ts';
import { NAME_SHAPES, NAMES, NameTable } from './names.ts';
import { QUARANTINE, Quarantine } from './quarantine/quarantine.ts';
import { pendingName } from './rows/pending-rows.ts';
import { PendingTable } from './rows/pending-table.ts';
import { DeltaTable } from './rows/table.ts';
import { afterReorganisation } from './rule/merge.ts';
import type { ShortenedLog } from './shortened-log.ts';
import { type Disk, localDisk } from './storage/disk.ts';
import { type Layout, layout } from './storage/layout.ts';
import { ParquetWriter } from './storage/parquet.ts';

/** All tables of a primary chain and its zone chain under a data root. */
export interface Lake {
  readonly layout: Layout;
  /** Names the rows and the staging folder of this run. */
  readonly run: string;
  /** Short name of the chain that the dataset is about: the folder of its table. */
  chainOf(dataset: string): string;
  /** The dataset's table. Its folder exists after its first commit. */
  table(dataset: string): DeltaTable;
  /** The tables that have at least one commit, in the order of their names. */
  tables(): Promise<DeltaTable[]>;
  /** The table of records that break the dataset's contract; all datasets of a chain share it. */
  quarantineOf(dataset: string): Quarantine;
  /** Where a curated table of an axis lies, and what writes it. */
  curatedStorage(axis: Axis, table: string): StorageSettings;
  /** One quarantine for each chain of the lake, whether or not it exists on disk. */
  quarantines(): Quarantine[];
  /** Tables of pending records, by dataset; only of datasets whose lists show such records. */
  readonly pending: ReadonlyMap<string, PendingTable>;
  /** Tables of captured rows, by name, whether or not they exist on disk. */
  readonly captured: ReadonlyMap<string, CapturedTable>;
  /** Tables of names, by kind, in their newest versions, whether or not they exist on disk. */
  readonly names: ReadonlyMap<string, NameTable>;
  /**
   * The coverage in the logs of all tables, valid until the next commit to one of them. Datasets in
   * `changedFrom` are treated as if a reorganisation at that height had been recorded. Throws
   * Fault('lake') for a corrupt log.
   */
  coverage(changedFrom?: ReadonlyMap<string, number>): Promise<Coverage>;
  /** Tables of which the coverage tables know a newer version than their logs have. */
  shortenedLogs(): Promise<ShortenedLog[]>;
  /** Updates the coverage tables from the logs. */
  indexCoverage(isFull?: boolean): Promise<CoverageFiles>;
  /** All tables with at least one commit but for the curated ones of the chains. */
  storedTables(): Promise<StoredTable[]>;
  /**
   * When a version of a dataset's table was committed [ms since the Unix epoch]; 0 if another
   * program left it out, and undefined for a version whose entry has expired.
   */
  committedAt(dataset: string, version: number): Promise<number | undefined>;
  /** Coverage of a dataset in these tables, which may be older than its log. */
  indexedCoverage(dataset: string): Promise<IndexedCoverage | undefined>;
  close(): void;
}

/** The coverage tables of a lake. */
export interface CoverageFiles {
  /** Paths of their data files. */
  readonly paths: readonly string[];
  /** The version of every dataset's table that they were made from. */
  readonly versions: ReadonlyMap<string, number>;
}

/** Short names of the chains of both axes. They may be equal: no dataset has both axes. */
export type Chains = Readonly<Record<Axis, string>>;

export interface LakeOptions {
  readonly root: string;
  /** See `Layout.made`; by default the root. */
  readonly made?: string;
  readonly chains: Chains;
  /** Names the rows and the staging folder of this run. */
  readonly run: string;
  readonly effects: Effects;
  readonly disk: Disk;
  /** See `StorageSettings`. */
  readonly checkpointCommits?: number;
  /**
   * Shows the newest version of each table that is not newer than this [ms since the Unix epoch].
   * Such a lake is only read.
   */
  readonly asOfMs?: number;
  /** See `StorageSettings`. */
  readonly turn?: CommitTurn | undefined;
}

/** Does work on the lake of this machine, and closes it. */
export async function withLake<T>(
  options: Omit<LakeOptions, 'disk'>,
  work: (lake: Lake) => Promise<T>,
): Promise<T> {
  const lake = await openLake({ ...options, disk: localDisk });
  try {
    return await work(lake);
  } finally {
    lake.close();
  }
}

/**
 * Opens the tables of a chain. Writes nothing before the first commit. Throws Fault('lake') if the
 * data root has the layout of another windrow version.
 */
export async function openLake(options: LakeOptions): Promise<Lake> {
  const { root, made, chains, run, effects, disk, checkpointCommits, asOfMs, turn } = options;
  const paths = layout(root, made);
  await checkRoot(paths, disk);
  const writer = await ParquetWriter.open(paths.spilledOf(run));
  const open = new Map<string, DeltaTable>();
  const chainOf = (dataset: string): string => chains[datasetNamed(dataset).axis];
  const storageIn = (folder: string): StorageSettings => {
    const settings = { disk, effects, writer, folder, staging: paths.stagingOf(run), run, turn };
    return {
      ...settings,
      ...(checkpointCommits === undefined ? {} : { checkpointCommits }),
      ...(asOfMs === undefined ? {} : { asOfMs }),
    };
  };
  const storageOf = (chain: string, name: string): StorageSettings =>
    storageIn(paths.table(chain, name));
  const table = (dataset: string): DeltaTable => {
    const cached = open.get(dataset);
    if (cached !== undefined) return cached;
    const storage = storageOf(chainOf(dataset), dataset);
    const opened = new DeltaTable({ ...storage, dataset: datasetNamed(dataset) });
    open.set(dataset, opened);
    return opened;
  };
  const kept = new Map(
    [chains.primary, chains.zone].map((chain) => {
      return [chain, new Quarantine(storageOf(chain, QUARANTINE))] as const;
    }),
  );
  const pending = new Map(
    datasets.flatMap(({ name }) => {
      if (pendingStateOf(name) === undefined) return [];
      const storage = storageOf(chainOf(name), pendingName(name));
      return [[name, new PendingTable(storage, name)] as const];
    }),
  );
  const captured = new Map(
    CAPTURED_TABLES.map((shape) => {
      const storage = storageOf(chains.primary, shape.name);
      return [shape.name, new CapturedTable(storage, shape)] as const;
    }),
  );
  const names = new Map(
    NAME_SHAPES.map((shape) => {
      const { asOfMs: _, ...newest } = storageIn(paths.curatedTable(NAMES, shape.name));
      return [shape.name as string, new NameTable(newest, shape)] as const;
    }),
  );
  const tables = async (): Promise<DeltaTable[]> => {
    const deltaTables: DeltaTable[] = [];
    for (const { name } of datasets) {
      const folders = await disk.list(join(paths.lake, chainOf(name)));
      if (!folders.includes(name)) continue;
      if ((await table(name).snapshot()).version >= 0) deltaTables.push(table(name));
    }
    return deltaTables;
  };
  return {
    layout: paths,
    run,
    chainOf,
    table,
    tables,
    quarantineOf(dataset) {
      const quarantine = kept.get(chainOf(dataset));
      if (quarantine === undefined) throw new Error(`no quarantine for ${dataset}`);
      return quarantine;
    },
    curatedStorage: (axis, name) => storageIn(paths.curatedTable(chains[axis], name)),
    quarantines: () => [...kept.values()],
    pending,
    captured,
    names,
    async shortenedLogs() {
      const shortened: ShortenedLog[] = [];
      for (const chain of new Set([chains.primary, chains.zone])) {
        const index = new CoverageIndex(storageOf(chain, COVERAGE));
        for (const [dataset, version] of await index.shortened(tables)) {
          const { version: newest } = await table(dataset).snapshot();
          const folder = paths.table(chain, dataset);
          shortened.push({ dataset, folder, newest, version });
        }
      }
      return shortened;
    },
    async indexCoverage(isFull) {
      const all = await tables();
      const paths: string[] = [];
      const versions = new Map<string, number>();
      for (const chain of new Set(all.map(({ dataset }) => chainOf(dataset.name)))) {
        const chainTables = all.filter(({ dataset }) => chainOf(dataset.name) === chain);
        const index = new CoverageIndex(storageOf(chain, COVERAGE));
        const newest = await index.update(chainTables, isFull);
        paths.push(...index.stored.paths(newest));
        for (const { dataset } of chainTables) {
          versions.set(dataset.name, newest.transactions.get(dataset.name) ?? -1);
        }
      }
      return { paths, versions };
    },
    async storedTables() {
      const indexes = [...kept.keys()].map(
        (chain) => new CoverageIndex(storageOf(chain, COVERAGE)),
      );
      const others = [pending, captured, names, kept].flatMap((map) => [...map.values()]);
      const raw = await tables();
      const empty = raw.flatMap((rawTable) => rawTable.empty ?? []);
      const all = [...raw, ...empty, ...others, ...indexes];
      const result: StoredTable[] = [];
      for (const { stored } of all) if ((await stored.snapshot()).version >= 0) result.push(stored);
      return result;
    },
    committedAt: (dataset, version) =>
      committedAtVersion(disk, table(dataset).stored.folder, version),
    indexedCoverage(dataset) {
      return new CoverageIndex(storageOf(chainOf(dataset), COVERAGE)).coverageOf(dataset);
    },
    close: () => writer.close(),
    async coverage(changedFrom) {
      const all: Coverage[] = [];
      for (const deltaTable of await tables()) {
        const { coverage } = await deltaTable.snapshot();
        const height = changedFrom?.get(deltaTable.dataset.name);
        all.push(height === undefined ? coverage : afterReorganisation(coverage, height));
      }
      return Coverage.ofTables(all);
    },
  };
}

/**
 * The chains with tables under the data root, in pairs of a primary chain and a zone chain. A root
 * with data of one source has one pair.
 */
export async function chainsIn(root: string, disk: Disk): Promise<Chains[]> {
  const { lake } = layout(root);
  const chains: Record<Axis, string[]> = { primary: [], zone: [] };
  for (const chain of (await disk.list(lake)).sort()) {
    const names = await disk.list(join(lake, chain));
    const axes = new Set<Axis | undefined>(names.map((name) => findDataset(name)?.axis));
    if (names.some(isCaptured)) axes.add('primary');
    for (const axis of ['primary', 'zone'] as const) if (axes.has(axis)) chains[axis].push(chain);
  }
  const count = Math.max(chains.primary.length, chains.zone.length);
  return Array.from({ length: count }, (_, i) => ({
    primary: chains.primary[i] ?? UNKNOWN_CHAIN,
    zone: chains.zone[i] ?? UNKNOWN_CHAIN,
  }));
}

/** Short names of the chains with a quarantine table under the data root. */
export async function chainsWithQuarantine(root: string, disk: Disk): Promise<string[]> {
  const { lake } = layout(root);
  const chains: string[] = [];
  for (const chain of (await disk.list(lake)).sort()) {
    if ((await disk.list(join(lake, chain))).includes(QUARANTINE)) chains.push(chain);
  }
  return chains;
}

/** Name for a chain without tables. No chain folder has this name. */
const UNKNOWN_CHAIN = '-';
