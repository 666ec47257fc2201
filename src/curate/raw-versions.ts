import type { Axis } from '../catalogue/entry.ts';
import { datasetNamed, datasets } from '../catalogue/index.ts';
import type { Changes } from '../land/delta/changed-heights.ts';
import type { Snapshot } from '../land/delta/fold.ts';
import type { Lake } from '../land/lake.ts';
import { CURATED_TABLES } from './curated-tables.ts';
import type { FollowedList } from './rule/environment.ts';
import { keyKindOf } from './rule/lists.ts';
import type { RawTable } from './rule/range-planner.ts';

/** The name of one version of a raw table. */
export interface RawState {
  readonly dataset: string;
  readonly axis: Axis;
  /** -1 before the first commit. */
  readonly version: number;
  /** Another one after the folder of the table was moved away and the table fetched again. */
  readonly tableId: string | undefined;
  readonly lists: readonly FollowedList[];
}

/** A raw table at one version, as a source of curated tables. */
export interface RawVersion extends RawState, RawTable {
  /** The heights and transactions that the versions after `version` changed. */
  changedSince(version: number): Promise<Changes>;
}

/** The datasets that curated tables are made from. */
export function datasetsOfCurated(): string[] {
  return datasets
    .map(({ name }) => name)
    .filter((name) => CURATED_TABLES.some((table) => table.name === name));
}

/**
 * The newest versions of raw tables, without their files and coverage: these cost most where
 * nothing has changed. By default those of the tables that curated tables are made from.
 */
export async function rawStates(
  lake: Lake,
  names: readonly string[] = datasetsOfCurated(),
): Promise<RawState[]> {
  const states: RawState[] = [];
  for (const name of names) states.push(stateOf(name, await lake.table(name).snapshot()));
  return states;
}

/** Raw tables at their newest versions; by default those that curated tables are made from. */
export async function rawVersions(
  lake: Lake,
  names: readonly string[] = datasetsOfCurated(),
): Promise<RawVersion[]> {
  const versions: RawVersion[] = [];
  for (const name of names) {
    const table = lake.table(name);
    const snapshot = await table.snapshot();
    versions.push({
      ...stateOf(name, snapshot),
      files: [...snapshot.files.values()],
      pathOf: (file) => table.pathOf(file),
      coverage: snapshot.coverage.grouped(),
      emptyLookUps: await table.empty?.sql(snapshot),
      checkpoints: snapshot.blockCheckpoints,
      changedSince: (version) => table.changedSince(version),
    });
  }
  return versions;
}

/** Copies what it needs of the coverage, which later commits change. */
function stateOf(dataset: string, { version, tableId, coverage }: Snapshot): RawState {
  const lists = coverage.lists().map((list): FollowedList => {
    const isOfAddresses = keyKindOf({ dataset, ...list }) === 'address';
    return { dataset, ...list, addresses: isOfAddresses ? [...coverage.keysOf(list).keys()] : [] };
  });
  return { dataset, axis: datasetNamed(dataset).axis, version, tableId, lists };
}

/** The name under which a curated commit keeps the version of a raw table. */
export function versionKey({ dataset, tableId }: Pick<RawState, 'dataset' | 'tableId'>): string {
  return `${dataset}/${tableId ?? ''}`;
}
