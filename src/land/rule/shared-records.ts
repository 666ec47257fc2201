import type { Coverage, CoverageEntry } from '../../coverage/coverage.ts';
import type { List } from '../../coverage/list.ts';
import {
  contains,
  type Interval,
  intersection,
  normalise,
  subtract,
} from '../../coverage/ranges.ts';
import type { Claim, Landable, Walk } from './claim.ts';

/**
 * A record that names two keys is in the lists of both. Where both are complete, they must have the
 * same number of these records in each block. If not, the list with fewer is inconsistent there: it
 * lacks some, for example because the service cuts it at a record cap inside the block.
 *
 * If the keys of the walk were complete before, the list has changed: the walk replaces its rows.
 * If it has fewer than before, the other list is inconsistent until it is read again.
 */

/** The rows of a table that touch a key of the claim and another followed key, in its interval. */
export type SharedRows = (claim: Claim) => readonly Landable[];

/** A walk that is compared with the rows of other keys. */
export interface Compared<R extends Landable> {
  /** Entries that withdraw complete coverage of other keys. */
  readonly withdrawn: readonly CoverageEntry[];
  /** The walk in parts: those that lack records of other keys are inconsistent. */
  readonly parts: readonly Walk<R>[];
}

/** If more blocks than this differ, the whole interval is inconsistent. */
const MAX_BLOCKS = 20;

/**
 * Compares a complete walk with `rows`, which touch its keys, and which the complete coverage of
 * other keys proves. `shared` are the records of the walk that touch another followed key. A walk
 * that is not complete is unchanged.
 */
export function compareShared<R extends Landable>(
  coverage: Coverage,
  walk: Walk<R>,
  shared: ReadonlySet<R>,
  rows: readonly Landable[],
): Compared<R> {
  const { claim } = walk;
  if (claim.status !== 'complete') return { withdrawn: [], parts: [walk] };
  const balance = balanceByBlock(coverage, claim, shared, rows);
  const isComplete = coverage.completeIn(claim.list);
  const wasComplete = (height: number): boolean =>
    claim.keys.every((key) => isComplete(key, height));
  /** Blocks in which the walk lacks records, each with a key whose list has them. */
  const lacking = new Map<number, string>();
  /** Blocks in which another list is no longer complete, by its key. */
  const doubtful = new Map<string, Set<number>>();
  for (const [height, byKey] of balance) {
    for (const [key, count] of byKey) {
      if (count < 0 && !wasComplete(height)) lacking.set(height, key);
      // Records that a complete list has in addition cost the other list nothing.
      else if (count < 0 || (count > 0 && !wasComplete(height)))
        doubtful.set(key, (doubtful.get(key) ?? new Set()).add(height));
    }
  }
  if (lacking.size + doubtful.size === 0) return { withdrawn: [], parts: [walk] };
  const [claimKey = ''] = claim.keys;
  const isMany = new Set([...doubtful.values()].flatMap((set) => [...set])).size > MAX_BLOCKS;
  const withdrawn = [...doubtful].flatMap(([key, heights]) =>
    (isMany ? [claim.interval] : placesOf(heights)).flatMap((place) =>
      completeParts(coverage, claim.list, key, place).map((entry) => differing(entry, claimKey)),
    ),
  );
  const short = lacking.size > MAX_BLOCKS ? [claim.interval] : placesOf(lacking.keys());
  const replaced = normalise(withdrawn).flatMap((place) => subtract(place, short));
  const rest = subtract(claim.interval, [...short, ...replaced]);
  const [first = ''] = lacking.values();
  return {
    withdrawn,
    parts: [
      ...[...rest, ...replaced].map((interval) => partOf(walk, claim, interval)),
      ...short.map((interval) => {
        return partOf(walk, differing(claim, lacking.get(interval.from) ?? first), interval);
      }),
    ],
  };
}

/** Records of the walk minus rows of the table, by height and other complete key. */
function balanceByBlock(
  coverage: Coverage,
  claim: Claim,
  records: Iterable<Landable>,
  rows: readonly Landable[],
): Map<number, Map<string, number>> {
  const keys = new Set(claim.keys);
  const isComplete = coverage.completeIn(claim.list);
  const balance = new Map<number, Map<string, number>>();
  const count = ({ height, touches }: Landable, step: number): void => {
    for (const key of touches) {
      if (keys.has(key) || !isComplete(key, height)) continue;
      const byKey = balance.get(height) ?? new Map<string, number>();
      balance.set(height, byKey);
      byKey.set(key, (byKey.get(key) ?? 0) + step);
    }
  };
  for (const record of records) count(record, 1);
  for (const row of rows) count(row, -1);
  return balance;
}

function placesOf(heights: Iterable<number>): Interval[] {
  return normalise([...heights].map((height) => ({ from: height, to: height })));
}

function completeParts(
  coverage: Coverage,
  list: List,
  key: string,
  place: Interval,
): CoverageEntry[] {
  return coverage.get(list, key).flatMap((entry) => {
    const part = entry.status === 'complete' ? intersection(entry, place) : undefined;
    return part === undefined ? [] : [{ ...entry, ...part }];
  });
}

function partOf<R extends Landable>(walk: Walk<R>, claim: Claim, interval: Interval): Walk<R> {
  const records = walk.records.filter(({ height }) => contains(interval, height));
  return { ...walk, claim: { ...claim, interval }, records };
}

function differing<T extends Claim | CoverageEntry>(entry: T, other: string): T {
  const reason = `its records differ from those in the list of ${other}`;
  return { ...entry, status: 'inconsistent', reason };
}
