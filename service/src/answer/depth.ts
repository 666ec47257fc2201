import type { Endpoint } from '../../../src/catalogue/entry.ts';
import { paramOf } from '../../../src/catalogue/index.ts';
import { blockTime } from '../../../src/catalogue/vocabulary.ts';
import type { Interval } from '../../../src/coverage/ranges.ts';
import { Refusal } from '../protocol/errors.ts';
import { numberOf, type Values } from '../protocol/parameters.ts';
import type { Bound, Selection, Source } from '../protocol/source.ts';
import type { FullSettings } from '../settings/settings.ts';

/** The heights that a request selects, and the limits on the depth of a list. */

const MS_PER_YEAR = 365 * 86_400_000;
/** Datasets that hold a current state have no heights of their own. */
const ANY_HEIGHT: Interval = { from: 0, to: Number.MAX_SAFE_INTEGER };

/**
 * The requested heights; the interval may be empty. If a height and block bounds are both given,
 * both apply. The span limit applies to the requested bounds.
 */
export function intervalOf(
  entry: Endpoint,
  values: Values,
  head: number,
  settings: FullSettings,
): Interval {
  if (entry.list === 'snapshot') return ANY_HEIGHT;
  const { depthBlocks, blockSpan } = entry.limits;
  const from = numberOf(values, paramOf(entry, 'from-block'));
  const to = numberOf(values, paramOf(entry, 'to-block'));
  const height = numberOf(values, paramOf(entry, 'height'));
  if (from !== undefined && to !== undefined) checkSpan(from, to, blockSpan);
  const endIsLeftOut = entry.axis === 'primary' && settings.endReading === 'exclusive';
  const lasts = [height, to === undefined ? undefined : to - (endIsLeftOut ? 1 : 0)];
  const oldest = depthBlocks === undefined ? 0 : Math.max(0, head - depthBlocks + 1);
  return {
    from: Math.max(oldest, ...[height, from].filter((first) => first !== undefined)),
    to: Math.min(head, ...lasts.filter((last) => last !== undefined)),
  };
}

function checkSpan(from: number, to: number, blockSpan: number | undefined): void {
  if (from > to) throw new Refusal('bad-parameter', 'the first block lies after the last one');
  if (blockSpan !== undefined && to - from > blockSpan) {
    throw new Refusal('bad-parameter', `more than ${blockSpan} blocks lie between the two`);
  }
}

/**
 * The time bound that follows from a depth limit in years. The years count back from the newest
 * record of the keys up to the head, regardless of the other parameters. A year has 365 days.
 */
export async function yearsBound(
  entry: Endpoint,
  selection: Selection,
  source: Source,
): Promise<readonly Bound[]> {
  const { depthYears } = entry.limits;
  const param = paramOf(entry, 'keys');
  if (depthYears === undefined || param === undefined || selection.keys === undefined) return [];
  const newest = await source.newest({
    ...selection,
    interval: { from: 0, to: source.head(entry.axis) },
    keys: { ...selection.keys, columns: param.columns },
    filters: [],
    bounds: [],
  });
  const { column } = blockTime;
  const time = newest?.[column];
  if (typeof time !== 'string') return [];
  return [{ column, least: String(Number(time) - depthYears * MS_PER_YEAR) }];
}
