import type { Coverage } from '../../coverage/coverage.ts';
import { isAskedByHash, type ListId } from '../../coverage/list.ts';
import { type Interval, intersection, normalise } from '../../coverage/ranges.ts';
import type { Region } from '../../coverage/slice.ts';
import type { DataFile } from '../delta/actions.ts';
import type { Ledger } from '../delta/ledger.ts';
import { isForgotten } from '../rule/merge.ts';

/** Applies the coverage of one log entry. */
export function foldLedger(coverage: Coverage, ledger: Ledger): void {
  for (const { height } of ledger.reorganisations) coverage.forget(isForgotten, height);
  for (const { keys, ...list } of ledger.forgotten) coverage.drop(list, keys);
  for (const { endpoint, variant, keys, ...part } of ledger.coverage) {
    coverage.addClaim({ endpoint, variant }, keys, part);
  }
}

const EVERY_HEIGHT: Interval = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** The coverage that a lost file may have had rows of: that of its list over its heights. */
export function regionsOf(
  coverage: Coverage,
  { source, heights = EVERY_HEIGHT }: Pick<DataFile, 'source' | 'heights'>,
): Region[] {
  const lost = (source === undefined ? coverage.lists() : [source]).flatMap((list) =>
    coverage.overlapping(list, heights).flatMap(({ endpoint, variant, key, status, ...part }) => {
      // Below a depth limit, and of failed slices, there are no rows to lose.
      if (status === 'depth_limited' || status === 'failed') return [];
      // Open look-ups are done again anyway, and complete ones are those of the heights.
      if (isAskedByHash(list) && key !== '') return [];
      const { from, to } = intersection(part, heights) ?? part;
      return [{ endpoint, variant, keys: [key], from, to }];
    }),
  );
  return joinedRegions(lost);
}

/** Regions with each key and block once. Keys of a list with equal intervals are one region. */
export function joinedRegions(all: readonly Region[]): Region[] {
  const intervals = new Map<string, { list: ListId; key: string; parts: Interval[] }>();
  for (const { endpoint, variant, keys, from, to } of all) {
    for (const key of keys) {
      const id = JSON.stringify([endpoint, variant, key]);
      const entry = intervals.get(id) ?? { list: { endpoint, variant }, key, parts: [] };
      intervals.set(id, entry);
      entry.parts.push({ from, to });
    }
  }
  const regions = new Map<string, Region & { readonly keys: string[] }>();
  for (const { list, key, parts } of intervals.values()) {
    for (const { from, to } of normalise(parts)) {
      const id = JSON.stringify([list, from, to]);
      const region = regions.get(id) ?? { ...list, keys: [], from, to };
      regions.set(id, region);
      region.keys.push(key);
    }
  }
  return [...regions.values()];
}
