import type { Dataset } from '../../catalogue/entry.ts';
import { datasetsOf, endpoints } from '../../catalogue/index.ts';
import type { Cell } from '../../catalogue/kind.ts';
import type { Anchor } from '../../coverage/checkpoints.ts';
import type { CoverageEntry } from '../../coverage/coverage.ts';
import { listKey } from '../../coverage/list.ts';
import type { Region } from '../../coverage/slice.ts';
import { type DataFile, ledger } from '../delta/actions.ts';
import type { Snapshot } from '../delta/log.ts';
import {
  type Committed,
  type Prepared,
  type StorageSettings,
  StoredTable,
} from '../delta/stored-table.ts';
import { walkedLists } from '../delta/walked-lists.ts';
import {
  type Claim,
  demoted,
  honestAnchors,
  isForgotten,
  merge,
  type Removal,
  type Walk,
} from '../rule/merge.ts';
import { reinstated, withdrawn } from '../rule/withdrawn.ts';
import type { Withheld } from '../rule/withheld.ts';
import { identifier, literal } from '../storage/sql-text.ts';
import { tableColumns } from './columns.ts';
import type { Row } from './decode.ts';
import { mayHoldRows, removalSql } from './removal.ts';

/** Lineage of a landed walk. */
export interface LandedWalk extends Walk<Row> {
  readonly slice: string;
  /** Requests that the walk took. */
  readonly requests: number;
  /** Of a walk some of whose records broke their contract. */
  readonly withheld?: Withheld;
}

export interface TableSettings extends StorageSettings {
  readonly dataset: Dataset;
}

const COMMIT = 'WINDROW COMMIT';
const REPAIR = 'WINDROW REPAIR';

/** One dataset's Delta table: what lands in it goes by the rule of a commit. */
export class DeltaTable {
  readonly #settings: TableSettings;
  readonly #stored: StoredTable;

  constructor(settings: TableSettings) {
    const { name, summary, heightColumn, sortedBy } = settings.dataset;
    const columns = tableColumns(name);
    const shape = { name, summary, columns, heightColumn, sortedBy, isBySource: true };
    this.#settings = settings;
    this.#stored = new StoredTable(settings, shape);
  }

  get dataset(): Dataset {
    return this.#settings.dataset;
  }

  /** The newest version. It is a live view: it moves with the next `snapshot` or `commit`. */
  snapshot(): Promise<Snapshot> {
    return this.#stored.snapshot();
  }

  /** Absolute path of a data file. */
  pathOf(file: DataFile): string {
    return this.#stored.pathOf(file);
  }

  /** Absolute paths of the data files of a version. */
  paths(snapshot: Pick<Snapshot, 'files'>): string[] {
    return this.#stored.paths(snapshot);
  }

  /**
   * Merges walks into the table, in order, by the rule of a commit. When another writer takes the
   * version first, merges again into what that writer left. The anchors are hashes of the chain
   * that the walks were read from.
   */
  async commit(walks: readonly LandedWalk[], anchors: readonly Anchor[] = []): Promise<Committed> {
    return this.#stored.publish(COMMIT, (snapshot) => this.#merged(snapshot, walks, anchors));
  }

  /**
   * Like `commit`, of walks that are made from the very version they are merged into. Where
   * `compose` has none, or throws, nothing is committed.
   */
  async commitFrom(
    compose: (snapshot: Snapshot) => Promise<readonly LandedWalk[] | undefined>,
  ): Promise<Committed | undefined> {
    return this.#stored.publish(COMMIT, async (snapshot) => {
      const walks = await compose(snapshot);
      return walks === undefined ? undefined : this.#merged(snapshot, walks, []);
    });
  }

  async #merged(
    snapshot: Snapshot,
    walks: readonly LandedWalk[],
    anchors: readonly Anchor[],
  ): Promise<Prepared> {
    const generation = Math.min(...walks.map(({ claim }) => claim.generation));
    const slices = new Map<Claim, string>(walks.map((walk) => [walk.claim, walk.slice]));
    const merged = merge(snapshot, walks);
    const doomed = await this.#filesToRewrite(snapshot, merged.removals);
    const rows = merged.inserts.map(({ claim, record }) => this.#cellsOf(claim, record, slices));
    await this.#settings.bench.begin(this.#stored.shape.columns);
    await this.#settings.bench.append(this.#stored.shape.columns, rows);
    const rowsReplaced = await this.#keepRest(doomed);
    return {
      ledger: ledger(this.#settings.run, {
        coverage: merged.coverage,
        walked: walkedLists(walks),
        anchors: newAnchors(honestAnchors(anchors, generation, snapshot), snapshot),
        withheld: walks.flatMap(({ withheld }) => (withheld === undefined ? [] : [withheld])),
      }),
      removed: doomed.map(({ file }) => file),
      counts: { rowsAdded: rows.length, rowsReplaced },
      provisionalFrom: provisionalFrom(walks),
      hasRows: rows.length > 0 || doomed.length > 0,
    };
  }

  /**
   * Records that the chain changed at `height`: what was landed from there on proves nothing, and
   * rows that were asked by hashes go.
   */
  async reorganised(height: number): Promise<Committed> {
    const { dataset, bench, run } = this.#settings;
    const forgotten = endpoints
      .filter((each) => datasetsOf(each).includes(dataset.name) && isForgotten(each.path))
      .map(({ path }) => literal(path));
    const condition =
      `_endpoint IN (${[...forgotten, "''"].join(', ')})` +
      ` AND ${identifier(dataset.heightColumn)} >= ${height}`;
    return this.#stored.publish('WINDROW REORGANISATION', async (snapshot) => {
      const doomed = await this.#filesWith(snapshot, ({ source, heights }) => {
        if (heights !== undefined && heights.to < height) return undefined;
        return source === undefined || isForgotten(source.endpoint) ? condition : undefined;
      });
      await bench.begin(this.#stored.shape.columns);
      const rowsReplaced = await this.#keepRest(doomed);
      return {
        ledger: ledger(run, {
          coverage: demoted(snapshot.coverage, height),
          reorganisations: [{ height }],
        }),
        removed: doomed.map(({ file }) => file),
        counts: { rowsAdded: 0, rowsReplaced },
        hasRows: doomed.length > 0,
      };
    });
  }

  /**
   * Takes damaged data files out of the table, with what was known of their rows. Returns what was
   * known of other keys and is in doubt until the regions have been fetched again.
   */
  async withdraw(
    paths: ReadonlySet<string>,
    regions: readonly Region[],
  ): Promise<readonly CoverageEntry[]> {
    let inDoubt: readonly CoverageEntry[] = [];
    await this.#stored.publish(REPAIR, async (snapshot) => {
      const lost = withdrawn(snapshot.coverage, regions);
      inDoubt = lost.inDoubt;
      return this.#stored.without(snapshot, paths, { coverage: lost.coverage });
    });
    return inDoubt;
  }

  /** Says again what was in doubt, as far as the regions have been fetched again. */
  async reinstate(regions: readonly Region[], inDoubt: readonly CoverageEntry[]): Promise<void> {
    await this.#stored.publish(REPAIR, async (snapshot) => {
      const coverage = reinstated(snapshot.coverage, regions, inDoubt);
      if (coverage.length === 0) return undefined;
      return this.#stored.without(snapshot, new Set(), { coverage });
    });
  }

  /** Records coverage that a repair of the log has lost. */
  async markLost(coverage: readonly CoverageEntry[]): Promise<void> {
    if (coverage.length === 0) return;
    await this.#stored.publish(REPAIR, async (snapshot) => {
      return this.#stored.without(snapshot, new Set(), { coverage });
    });
  }

  /** Rewrites all files into as few as there are endpoints and variants. No row changes. */
  async compact(): Promise<Committed> {
    return this.#stored.publish('OPTIMIZE', async (snapshot) => {
      await this.#settings.bench.begin(this.#stored.shape.columns);
      const removed = [...snapshot.files.values()];
      for (const path of this.paths(snapshot)) {
        await this.#settings.bench.keepFrom(path, 'false');
      }
      return {
        ledger: ledger(this.#settings.run, {}),
        removed,
        counts: { rowsAdded: 0, rowsReplaced: 0 },
        hasRows: removed.length > 0,
      };
    });
  }

  /** Files that hold rows the removals take, with the condition that finds these rows. */
  #filesToRewrite(snapshot: Snapshot, removals: readonly Removal[]): Promise<Doomed[]> {
    return this.#filesWith(snapshot, (file) => {
      const relevant = removals.filter((removal) => mayHoldRows(file, removal));
      if (relevant.length === 0) return undefined;
      return relevant
        .map((removal) => `(${removalSql(removal, this.#settings.dataset.heightColumn)})`)
        .join(' OR ');
    });
  }

  /** Files with rows that meet the condition given for them; undefined: none can. */
  async #filesWith(
    snapshot: Snapshot,
    conditionOf: (file: DataFile) => string | undefined,
  ): Promise<Doomed[]> {
    const doomed: Doomed[] = [];
    for (const file of snapshot.files.values()) {
      const condition = conditionOf(file);
      if (condition === undefined) continue;
      const gone = await this.#settings.bench.countIn(this.#stored.pathOf(file), condition);
      if (gone > 0) doomed.push({ file, condition, gone });
    }
    return doomed;
  }

  /** Puts what stays of these files on the bench; returns how many rows go. */
  async #keepRest(doomed: readonly Doomed[]): Promise<number> {
    let gone = 0;
    for (const each of doomed) {
      await this.#settings.bench.keepFrom(this.#stored.pathOf(each.file), each.condition);
      gone += each.gone;
    }
    return gone;
  }

  #cellsOf(claim: Claim, row: Row, slices: ReadonlyMap<Claim, string>): Cell[] {
    const lineage = [
      claim.endpoint,
      claim.variant,
      BigInt(row.occurrence),
      slices.get(claim) ?? '',
      BigInt(claim.readAtMs) * 1000n,
      this.#settings.run,
      row.listPosition === null ? null : BigInt(row.listPosition),
    ];
    return [...row.cells.slice(0, row.cells.length - lineage.length), ...lineage];
  }
}

interface Doomed {
  readonly file: DataFile;
  readonly condition: string;
  readonly gone: number;
}

/** Those that the table does not have yet. */
function newAnchors(anchors: readonly Anchor[], snapshot: Snapshot): Anchor[] {
  const known = new Map(snapshot.anchors.map(({ height, hash }) => [height, hash]));
  return anchors.filter(({ height, hash }) => known.get(height) !== hash);
}

/** The lowest height of what may still change, by the list it is from. */
function provisionalFrom(walks: readonly LandedWalk[]): Map<string, number> {
  const from = new Map<string, number>();
  for (const { claim } of walks) {
    if (claim.status !== 'provisional') continue;
    const list = listKey(claim);
    from.set(list, Math.min(claim.interval.from, from.get(list) ?? claim.interval.from));
  }
  return from;
}
