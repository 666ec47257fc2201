import type { Axis } from '../catalogue/entry.ts';
import { datasetNamed, datasets } from '../catalogue/index.ts';
import type { Changes } from '../land/delta/changed-heights.ts';
import type { Lake } from '../land/lake.ts';
import { CURATED_TABLES } from './curated-tables.ts';
import type { RawTable } from './rule/range-session.ts';

/** A raw table at one version, as a source of curated tables. */
export interface RawVersion extends RawTable {
  readonly axis: Axis;
  /** -1 before the first commit. */
  readonly version: number;
  /** Another one after the folder of the table was moved away and the table fetched again. */
  readonly tableId: string | undefined;
  /** The heights and transactions that the versions after `version` changed. */
  changedSince(version: number): Promise<Changes>;
}

/** The datasets that curated tables are made from. */
export function datasetsOfCurated(): string[] {
  return datasets
    .map(({ name }) => name)
    .filter((name) => CURATED_TABLES.some((table) => table.name === name));
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
      dataset: name,
      axis: datasetNamed(name).axis,
      version: snapshot.version,
      tableId: snapshot.tableId,
      files: [...snapshot.files.values()],
      pathOf: (file) => table.pathOf(file),
      coverage: snapshot.coverage.grouped(),
      changedSince: (version) => table.changedSince(version),
    });
  }
  return versions;
}

/** The name under which a curated commit keeps the version of a raw table. */
export function versionKey({ dataset, tableId }: Pick<RawVersion, 'dataset' | 'tableId'>): string {
  return `${dataset}/${tableId ?? ''}`;
}
