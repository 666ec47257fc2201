import type { Interval } from '../plan/ranges.ts';
import type { Reading } from './walked.ts';

/**
 * Whether a range of blocks includes its first and its last block. The interface says so of zone
 * lists alone; of the others it is learned in every run, for each list, from one record.
 */

/**
 * The range to send for records at `from` to `to`: one block more on each side that may not be
 * included. It can be one block wider than the span that the endpoint allows: see `isTooWide`.
 */
export function askedRange({ endpoint, settings }: Reading, { from, to }: Interval): Interval {
  if (endpoint.axis === 'zone' || endpoint.list !== 'ranged' || settings.isExact === true) {
    return { from, to };
  }
  const edges = settings.facts.edges(endpoint.path);
  const last = edges.to === true ? to : to + 1;
  const first = edges.from === true ? from : Math.max(0, from - 1);
  // Before the first record of a list is seen, the span leaves no room for a block below as well.
  const { blockSpan = Number.POSITIVE_INFINITY } = endpoint.limits;
  const isUnknown = edges.from === undefined && edges.to === undefined;
  return { from: isUnknown && last - first > blockSpan ? from : first, to: last };
}

/** Whether the range is wider than the endpoint allows, so that its interval has to be halved. */
export function isTooWide({ endpoint }: Reading, range: Interval): boolean {
  return range.to - range.from > (endpoint.limits.blockSpan ?? Number.POSITIVE_INFINITY);
}

/**
 * Whether records at the first block of the interval may be hidden: ranges may not include it, and
 * the span left no room to ask for a block below as well.
 */
export function isEdgeHidden(reading: Reading, { from }: Interval, asked: Interval): boolean {
  const { endpoint, settings } = reading;
  const isSilent = endpoint.axis === 'primary' && settings.isExact !== true;
  const isIncluded = settings.facts.edges(endpoint.path).from === true;
  return isSilent && !isIncluded && from > 0 && asked.from === from;
}
