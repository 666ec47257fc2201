import { type Coverage, type CoverageEntry, hasRows, isProven } from '../../coverage/coverage.ts';
import { isAskedByHash, isSameList } from '../../coverage/list.ts';
import { intersection, subtract } from '../../coverage/ranges.ts';
import type { Region } from '../../coverage/slice.ts';

/**
 * Coverage of a table without the rows of a damaged file. A row that touches several keys is in the
 * table once, landed for the first of them. So a lost file may hold rows of keys outside its
 * regions. The coverage of these keys is in doubt until the regions of the file have been fetched
 * again.
 */

/** The reason in coverage until the range is fetched again. */
export const WITHDRAWN_REASON = 'a data file with its rows was damaged on disk';

export interface Withdrawal {
  /** Entries that mark the withdrawn coverage as inconsistent. */
  readonly coverage: readonly CoverageEntry[];
  /** Coverage before the withdrawal, of keys outside the regions. */
  readonly inDoubt: readonly CoverageEntry[];
}

/** Withdraws coverage that depends on the lost rows of these regions. */
export function withdrawn(coverage: Coverage, regions: readonly Region[]): Withdrawal {
  const after = coverage.overlay();
  const gone: CoverageEntry[] = [];
  const inDoubt: CoverageEntry[] = [];
  const take = (entry: CoverageEntry, region: Region): void => {
    const part = intersection(entry, region);
    if (part === undefined || !hasRows(entry.status) || entry.reason === WITHDRAWN_REASON) return;
    if (!region.keys.includes(entry.key)) inDoubt.push({ ...entry, ...part });
    const lost: CoverageEntry = {
      ...entry,
      ...part,
      status: 'inconsistent',
      reason: WITHDRAWN_REASON,
    };
    gone.push(lost);
    after.add(lost);
  };
  for (const region of regions) {
    for (const key of region.keys) for (const each of after.of(region, key)) take(each, region);
  }
  for (const region of regions) {
    // Rows of lists by hash have one key each.
    if (isAskedByHash(region)) continue;
    for (const each of after.overlapping(region, region)) {
      take(each, region);
    }
  }
  return { coverage: gone, inDoubt };
}

/**
 * The coverage in doubt that is valid again because the regions were fetched again. Coverage that
 * was committed since the withdrawal has precedence.
 */
export function reinstated(
  coverage: Coverage,
  regions: readonly Region[],
  inDoubt: readonly CoverageEntry[],
): CoverageEntry[] {
  return inDoubt.filter((entry) => {
    const own = coverage.of(entry, entry.key).filter(({ reason }) => reason === WITHDRAWN_REASON);
    if (subtract(entry, own).length > 0) return false;
    return regions.every((region) => {
      const part = intersection(entry, region);
      if (!isSameList(region, entry) || part === undefined) return true;
      return region.keys.every((each) => {
        const read = coverage.of(entry, each).filter(({ status }) => isProven(status));
        return subtract(part, read).length === 0;
      });
    });
  });
}
