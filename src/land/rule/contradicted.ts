import type { Coverage, CoverageEntry } from '../../coverage/coverage.ts';
import { grouped } from '../../coverage/grouped.ts';
import { isAskedByHash, type ListId, listKey } from '../../coverage/list.ts';
import { type Interval, intersection } from '../../coverage/ranges.ts';

/** A complete row of a key that contradicts other rows. */
export interface DoubtfulRow {
  readonly list: ListId;
  readonly key: string;
  readonly height: number;
  readonly reason: string;
}

/** A list with doubtful rows in more blocks than this is in doubt wherever it was compared. */
const MAX_BLOCKS = 20;

/**
 * Entries that mark complete coverage of doubtful rows as inconsistent, so that the next run reads
 * it again. `compared` are the heights of all rows that were compared.
 */
export function contradicted(
  coverage: Coverage,
  rows: readonly DoubtfulRow[],
  compared: readonly Interval[],
): readonly CoverageEntry[] {
  return [...grouped(rows, ({ list }) => listKey(list)).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const heights = new Set(group.map(({ height }) => height));
    const isByHash = isAskedByHash(first.list);
    if (isByHash || heights.size <= MAX_BLOCKS) {
      return group.flatMap(({ list, key, height, reason }) => {
        const at = { from: height, to: height };
        // A complete look-up has a row instead of an entry.
        const isLandedLookUp = isByHash && !coverage.isKnown(list, key, at);
        return coverage
          .get(list, isLandedLookUp ? '' : key)
          .flatMap((entry) => inDoubt({ ...entry, key }, at, reason));
      });
    }
    return compared.flatMap((interval) =>
      coverage
        .overlapping(first.list, interval)
        .flatMap((entry) => inDoubt(entry, interval, first.reason)),
    );
  });
}

function inDoubt(entry: CoverageEntry, interval: Interval, reason: string): CoverageEntry[] {
  const place = intersection(entry, interval);
  if (entry.status !== 'complete' || place === undefined) return [];
  return [{ ...entry, ...place, status: 'inconsistent', reason }];
}
