import type { Coverage, CoverageEntry } from '../../coverage/coverage.ts';
import { isAskedByHash, isSameList } from '../../coverage/list.ts';
import { intersection, subtract } from '../../coverage/ranges.ts';
import type { Region } from '../../coverage/slice.ts';

/**
 * What is known of a table without the rows of a damaged file. A row is in the table once, by
 * whichever of its keys was landed first; so a file that is lost takes rows from keys that landed
 * theirs elsewhere. These are in doubt until the regions of the file have been fetched again.
 */

/** The reason in coverage until the range is fetched again. */
export const WITHDRAWN_REASON = 'a data file with its rows was damaged on disk';

export interface Withdrawal {
  /** Everything that proves nothing any more. */
  readonly coverage: readonly CoverageEntry[];
  /** Of these, what was known of keys outside the regions, as it was. */
  readonly inDoubt: readonly CoverageEntry[];
}

/** What the loss of the rows that were landed for these regions leaves unproven. */
export function withdrawn(coverage: Coverage, regions: readonly Region[]): Withdrawal {
  const after = coverage.clone();
  const gone: CoverageEntry[] = [];
  const inDoubt: CoverageEntry[] = [];
  const take = (entry: CoverageEntry, region: Region): void => {
    const part = intersection(entry, region);
    // Lists that were not read have no rows.
    if (part === undefined || entry.status === 'depth_limited' || entry.reason === WITHDRAWN_REASON)
      return;
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
    // A row names one hash.
    if (isAskedByHash(region)) continue;
    for (const each of after.overlapping(region, region)) {
      take(each, region);
    }
  }
  return { coverage: gone, inDoubt };
}

/**
 * What was in doubt and is known again, because the regions were fetched again. What anything else
 * has landed since stays as that says.
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
        const read = coverage.of(entry, each).filter(({ status }) => {
          return status === 'complete' || status === 'provisional';
        });
        return subtract(part, read).length === 0;
      });
    });
  });
}
