import type { CoverageGroup } from '../../../src/coverage/coverage.ts';
import { findList, isAskedByHash } from '../../../src/coverage/list.ts';
import { type Interval, subtract } from '../../../src/coverage/ranges.ts';
import { curatedTable } from '../../../src/curate/curate-axis.ts';
import { CURATED_TABLES } from '../../../src/curate/curated-tables.ts';
import { versionKey } from '../../../src/curate/raw-versions.ts';
import { type Changes, listedHeights } from '../../../src/land/delta/changed-heights.ts';
import type { StoredTable } from '../../../src/land/delta/stored-table.ts';
import type { Lake } from '../../../src/land/lake.ts';
import type { DeltaTable } from '../../../src/land/rows/table.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { identifier, literal } from '../../../src/land/storage/sql-text.ts';
import type { LakeStore } from './store.ts';

/** A file of a curated table, and the heights of its rows. */
export interface ServedFile {
  readonly path: string;
  readonly heights: Interval;
}

/** One version of a curated table, and what it knows of the chain. */
export interface ServedVersion {
  readonly number: number;
  readonly files: readonly ServedFile[];
  /** Whether the dataset has been exported, at least in part. */
  readonly isLanded: boolean;
  /** Whether the lake has newer records, which are not curated yet. */
  readonly isBehind: boolean;
  /** Coverage of the dataset where the curated table follows from it. */
  readonly coverage: readonly CoverageGroup[];
  /** The complete look-ups of these hashes, some of which have records at these heights. */
  lookUps(
    hashes: readonly string[],
    heights: ReadonlyMap<string, number>,
  ): Promise<readonly CoverageGroup[]>;
}

/** Reads the versions of a dataset's curated table. */
export class ServedVersions {
  readonly #raw: DeltaTable;
  readonly #curated: StoredTable;
  readonly #heightColumn: string;

  /** Undefined for datasets without a curated table. */
  static forDataset(lake: Lake, dataset: string): ServedVersions | undefined {
    const table = CURATED_TABLES.find(({ name }) => name === dataset);
    if (table === undefined) return undefined;
    const curated = curatedTable(lake, table);
    return new ServedVersions(lake.table(dataset), curated, table.heightColumn);
  }

  private constructor(raw: DeltaTable, curated: StoredTable, heightColumn: string) {
    this.#raw = raw;
    this.#curated = curated;
    this.#heightColumn = heightColumn;
  }

  /** The newest version; undefined if it is the given one. */
  async after(number: number, store: LakeStore): Promise<ServedVersion | undefined> {
    const snapshot = await this.#curated.snapshot();
    if (snapshot.version === number) return undefined;
    const { version, tableId, coverage } = await this.#raw.snapshot();
    const dataset = this.#raw.dataset.name;
    const key = versionKey({ dataset, tableId });
    const madeFrom = snapshot.transactions.get(key) ?? -1;
    const isBehind = madeFrom !== version;
    const changes = isBehind ? await this.#raw.changedSince(madeFrom) : undefined;
    const files = [];
    await localDisk.fetch(this.#curated.paths(snapshot));
    for (const file of snapshot.files.values()) {
      const path = this.#curated.pathOf(file);
      files.push({ path, heights: file.heights ?? (await this.#heightsIn(path, store)) });
    }
    return {
      number: snapshot.version,
      files,
      isLanded: madeFrom >= 0,
      isBehind,
      coverage: changes === undefined ? coverage.grouped() : apartFrom(coverage.grouped(), changes),
      lookUps: async (hashes, heights) => {
        const at = [-1, ...heights.values()].join(', ');
        const isAt = `${identifier(this.#heightColumn)} IN (${at})`;
        const groups: CoverageGroup[] = [];
        for (const id of (await this.#raw.snapshot()).coverage.lists()) {
          const list = findList(id);
          if (list === undefined || !isAskedByHash(list)) continue;
          for (const { hash, ...interval } of await this.#raw.landed(list, hashes, isAt)) {
            groups.push({ ...id, keys: [hash], parts: [{ ...COMPLETE, ...interval }] });
          }
        }
        // The raw table may have newer look-ups than the records of this version.
        if ((await this.#raw.snapshot()).version === madeFrom) return groups;
        return apartFrom(groups, await this.#raw.changedSince(madeFrom));
      },
    };
  }

  /** Files that other programs have written may lack the statistics of their heights. */
  async #heightsIn(path: string, store: LakeStore): Promise<Interval> {
    const height = identifier(this.#heightColumn);
    const [row] = await store.rows(
      `SELECT min(${height}), max(${height}) FROM read_parquet(${literal(path)})`,
    );
    return { from: Number(row?.[0] ?? 0), to: Number(row?.[1] ?? -1) };
  }
}

const COMPLETE = { status: 'complete', reason: '', head: 0, readAtMs: 0 } as const;

/** Coverage where nothing changed. */
function apartFrom(coverage: readonly CoverageGroup[], changes: Changes): CoverageGroup[] {
  const lookedUp = changes.keyed.filter(({ kind }) => kind === 'transaction');
  const hashes = new Set(lookedUp.flatMap(({ keys }) => keys));
  const heights = listedHeights(changes);
  return coverage.map(({ keys, parts, ...list }) => ({
    ...list,
    keys: keys.filter((key) => !hashes.has(key)),
    parts: parts.flatMap((part) => subtract(part, heights).map((left) => ({ ...part, ...left }))),
  }));
}
