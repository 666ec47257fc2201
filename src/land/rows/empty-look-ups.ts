import { dirname, join } from 'node:path';
import { column, lineage } from '../../catalogue/entry.ts';
import { allLists, datasetsOf } from '../../catalogue/index.ts';
import { isAskedByHash, isSameList, type ListId } from '../../coverage/list.ts';
import { overlaps } from '../../coverage/ranges.ts';
import type { Region } from '../../coverage/slice.ts';
import type { DataFile } from '../delta/actions.ts';
import type { Snapshot } from '../delta/fold.ts';
import { type StorageSettings, StoredTable } from '../delta/stored-table.ts';
import type { Landable, Walk } from '../rule/claim.ts';
import type { TableState } from '../rule/merge.ts';
import { localDisk } from '../storage/disk.ts';
import { literal } from '../storage/sql-text.ts';

/** All tables of empty look-ups, as one view. */
export const EMPTY_LOOK_UPS = {
  name: 'empty_look_ups',
  summary: 'Complete look-ups by hash without a record, which no row of another table shows',
  columns: [
    column('endpoint', 'VARCHAR', 'Endpoint of the look-up'),
    column('variant', 'VARCHAR', 'Filters of the request'),
    column('tx_hash', 'VARCHAR', 'The hash'),
    column('from_block', 'BIGINT', 'First block of the slice'),
    column('to_block', 'BIGINT', 'Last block of the slice'),
    column('generation', 'BIGINT', 'Changes of the chain that its table had recorded before'),
    lineage('_run', 'VARCHAR', 'Run that did the look-up'),
  ],
  heightColumn: 'to_block',
  sortedBy: ['tx_hash'],
  isBySource: false,
} as const;

/** The datasets with look-ups by hash. */
const DATASETS = new Set(
  allLists.filter(({ path }) => isAskedByHash({ endpoint: path })).flatMap(datasetsOf),
);

/** SQL for no look-ups. */
export const NO_LOOK_UPS = `SELECT NULL::VARCHAR AS endpoint, NULL::VARCHAR AS variant,
  NULL::VARCHAR AS tx_hash, NULL::BIGINT AS from_block, NULL::BIGINT AS to_block WHERE false`;

/**
 * The complete look-ups of one raw table that have no record, in a Delta table beside it: a row
 * stands for the coverage of each, as the records of other look-ups do for theirs. An entry of the
 * hash in the coverage of the raw table overrides it. The rows of a walk are committed before its
 * claims, so a reader of the raw table always finds them here.
 */
export class EmptyLookUps {
  readonly stored: StoredTable;
  readonly #run: string;

  /** Undefined for datasets without look-ups. `settings` are those of the raw table. */
  static forDataset(settings: StorageSettings, dataset: string): EmptyLookUps | undefined {
    return DATASETS.has(dataset) ? new EmptyLookUps(settings, dataset) : undefined;
  }

  private constructor(settings: StorageSettings, dataset: string) {
    const name = `${EMPTY_LOOK_UPS.name}_${dataset}`;
    const folder = join(dirname(settings.folder), name);
    this.#run = settings.run;
    this.stored = new StoredTable({ ...settings, folder }, { ...EMPTY_LOOK_UPS, name });
  }

  /**
   * Adds the hashes of complete look-ups that have no record, before a commit to the raw table, and
   * removes those that the commit withdraws. A run that is killed between the two commits leaves
   * these hashes to be looked up again.
   */
  async add(walks: readonly Walk<Landable>[], raw: Pick<Snapshot, 'version'>): Promise<void> {
    const isWithdrawn = ({ claim, records }: Walk<Landable>): boolean =>
      claim.refutes === true && claim.status !== 'complete' && records.length === 0;
    const withdrawn = [...walks.entries()].filter(([, walk]) => isWithdrawn(walk));
    await this.drop(
      withdrawn.map(([, { claim }]) => ({ ...claim.list, keys: claim.keys, ...claim.interval })),
    );
    const added = walks.flatMap(({ claim, records }, i) => {
      const { list, keys, interval, status, generation } = claim;
      if (status !== 'complete' || !isAskedByHash(list)) return [];
      const named = new Set(records.flatMap(({ touches }) => touches));
      for (const [later, { claim: other }] of withdrawn) {
        if (later > i && isSameList(other.list, list) && overlaps(other.interval, interval))
          for (const key of other.keys) named.add(key);
      }
      const request = [BigInt(interval.from), BigInt(interval.to), BigInt(generation), this.#run];
      return keys
        .filter((key) => !named.has(key))
        .map((key) => [list.endpoint, list.variant, key, ...request]);
    });
    // Those of a raw table that was moved away do not count for the next one.
    const isOutdated = raw.version < 0 && (await this.stored.snapshot()).files.size > 0;
    if (added.length === 0 && !isOutdated) return;
    await this.stored.publish('WINDROW LOOK-UPS', async (snapshot) => {
      if (isOutdated) return this.stored.rewritten(snapshot, added);
      return this.stored.replaced(snapshot, () => undefined, added);
    });
  }

  /** Removes the look-ups of these keys in their intervals; the key '' is that of all hashes. */
  async drop(regions: readonly Region[]): Promise<void> {
    const conditions = regions.filter(isAskedByHash).map(({ keys, from, to, ...list }) => {
      const isOfKeys = keys.includes('') ? '' : `AND tx_hash IN (${keys.map(literal).join(', ')})`;
      return `(${isOf(list)} AND from_block <= ${to} AND to_block >= ${from} ${isOfKeys})`;
    });
    if (conditions.length === 0 || (await this.stored.snapshot()).files.size === 0) return;
    const condition = conditions.join(' OR ');
    await this.stored.publish('WINDROW DROP', async (snapshot) => {
      const prepared = await this.stored.replaced(snapshot, () => condition);
      return prepared.removed.length === 0 ? undefined : prepared;
    });
  }

  /**
   * SQL for the look-ups, as `NO_LOOK_UPS`, and its files by path. Each ends below the changes of
   * the chain that the raw table has recorded since.
   */
  async sql({ reorganisations }: Pick<TableState, 'reorganisations'>): Promise<LookUpsSql> {
    const snapshot = await this.stored.snapshot();
    const paths = this.stored.paths(snapshot);
    if (paths.length === 0) return { sql: NO_LOOK_UPS, files: new Map() };
    await localDisk.fetch(paths);
    const heights = reorganisations.map(({ height }) => height);
    const lowest = heights.map((_, i) => Math.min(...heights.slice(i)));
    const last = `least(to_block, list_extract([${lowest.join(', ')}], generation + 1) - 1)`;
    const sql = `SELECT endpoint, variant, tx_hash, from_block,
        ${lowest.length === 0 ? 'to_block' : `${last} AS to_block`}
      FROM read_parquet([${paths.map(literal).join(', ')}])
      WHERE generation <= ${lowest.length}`;
    return { sql, files: this.stored.filesAt(snapshot.files) };
  }
}

export interface LookUpsSql {
  readonly sql: string;
  readonly files: ReadonlyMap<string, DataFile>;
}

/** SQL that is true for rows of look-ups of the list. */
export function isOf({ endpoint, variant }: ListId): string {
  return `endpoint = ${literal(endpoint)} AND variant = ${literal(variant)}`;
}
