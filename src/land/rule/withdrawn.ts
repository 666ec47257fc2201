import { type Coverage, type CoverageEntry, hasRows } from '../../coverage/coverage.ts';
import { intersection } from '../../coverage/ranges.ts';
import type { Region } from '../../coverage/slice.ts';

/** The reason in coverage until the range is fetched again. */
export const WITHDRAWN_REASON = 'a data file with its rows was damaged on disk';

/** Entries that mark the coverage of these regions as inconsistent. */
export function withdrawn(coverage: Coverage, regions: readonly Region[]): CoverageEntry[] {
  return regions.flatMap((region) =>
    region.keys.flatMap((key) =>
      coverage.get(region, key).flatMap((entry): CoverageEntry[] => {
        const part = intersection(entry, region);
        if (part === undefined || !hasRows(entry.status)) return [];
        return [{ ...entry, ...part, status: 'inconsistent', reason: WITHDRAWN_REASON }];
      }),
    ),
  );
}
