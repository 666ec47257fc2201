import type { Coverage, CoverageEntry } from '../../coverage/coverage.ts';
import { isAskedByHash, type ListId, listKey } from '../../coverage/list.ts';
import { contains, type Interval, normalise } from '../../coverage/ranges.ts';

/** A height at which the complete rows of a key are in doubt. */
export interface DoubtfulRow {
  readonly list: ListId;
  readonly key: string;
  readonly height: number;
  readonly reason: string;
}

/** If more blocks of an entry than this are in doubt, all blocks between them are. */
const MAX_BLOCKS = 20;

/**
 * Entries that mark complete coverage of these rows as inconsistent, so that the next run reads it
 * again. A look-up by hash is read as a whole.
 */
export function contradicted(
  coverage: Coverage,
  rows: readonly DoubtfulRow[],
): readonly CoverageEntry[] {
  const byKey = new Map<string, DoubtfulRow[]>();
  for (const row of rows) {
    const id = `${listKey(row.list)} ${row.key}`;
    byKey.set(id, [...(byKey.get(id) ?? []), row]);
  }
  return [...byKey.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    return coverage.of(first.list, first.key).flatMap((entry) => {
      const inside = own.filter(({ height }) => contains(entry, height));
      const [example] = inside;
      if (entry.status !== 'complete' || example === undefined) return [];
      const { reason } = example;
      return placesOf(entry, inside).map((place) => {
        return { ...entry, ...place, status: 'inconsistent' as const, reason };
      });
    });
  });
}

function placesOf(entry: CoverageEntry, rows: readonly DoubtfulRow[]): Interval[] {
  if (isAskedByHash(entry)) return [{ from: entry.from, to: entry.to }];
  const heights = normalise(rows.map(({ height }) => ({ from: height, to: height })));
  const [first, last] = [heights[0], heights.at(-1)];
  if (heights.length <= MAX_BLOCKS || first === undefined || last === undefined) return heights;
  return [{ from: first.from, to: last.to }];
}
