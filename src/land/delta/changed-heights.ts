import { type Interval, normalise } from '../../coverage/ranges.ts';
import type { Line } from './actions.ts';
import type { NumberedLine } from './log-entry.ts';

/** Height beyond every chain. */
const NO_END = Number.MAX_SAFE_INTEGER;
export const EVERY_HEIGHT: readonly Interval[] = [{ from: 0, to: NO_END }];

/** Operations that change rows at the heights of their coverage alone, or not at all. */
const OWN_OPERATIONS = ['WINDROW COMMIT', 'WINDROW REORGANISATION', 'OPTIMIZE'];

/**
 * Heights at which the entries changed rows or coverage, sorted and disjoint. A commit of windrow
 * changes rows only at the heights of the coverage that it carries. Other programs may rearrange
 * files, which changes nothing; if they add or remove data, every height may have changed.
 */
export function changedHeights(entries: readonly (readonly NumberedLine[])[]): Interval[] {
  const changed: Interval[] = [];
  for (const lines of entries) {
    const parsed = lines.map((line) => line.parsed);
    const info = parsed.find(({ commitInfo }) => commitInfo !== undefined)?.commitInfo;
    const ledger = info?.windrow;
    if (ledger === undefined || !OWN_OPERATIONS.includes(info?.operation ?? '')) {
      if (parsed.some(changesData) || ledger !== undefined) return [...EVERY_HEIGHT];
      continue;
    }
    for (const { from, to } of ledger.coverage) changed.push({ from, to });
    for (const { height } of ledger.reorganisations) changed.push({ from: height, to: NO_END });
  }
  return normalise(changed);
}

function changesData({ add, remove }: Line): boolean {
  return [add, remove].some((action) => action !== undefined && action.dataChange !== false);
}
