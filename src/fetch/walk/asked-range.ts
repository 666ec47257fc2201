import type { Endpoint } from '../../catalogue/entry.ts';
import type { Interval } from '../../coverage/ranges.ts';
import type { FetchedPart } from '../../coverage/slice-part.ts';
import type { ListFacts, RangeEdges } from './list-facts.ts';
import type { Reading } from './walk.ts';

/**
 * Whether a range of blocks includes its first and last block. The interface documents this only
 * for zone lists; for other lists every run learns it from one record.
 */

/**
 * The range to send for the records of `from` to `to`: it has one block more on each side that may
 * be excluded. It can be one block wider than the span that the endpoint allows: see `isTooWide`.
 */
export function askedRange(
  { endpoint, settings }: Pick<Reading, 'endpoint' | 'settings'>,
  { from, to }: Interval,
  edges: RangeEdges = settings.facts.edges(endpoint.path),
): Interval {
  if (!isRangedByBlocks(endpoint) || settings.isExact === true) {
    return { from, to };
  }
  const last = edges.to === true ? to : to + 1;
  const first = edges.from === true ? from : Math.max(0, from - 1);
  // Until the list has shown a record, an interval of full span gets no extra block below.
  const { blockSpan = Number.POSITIVE_INFINITY } = endpoint.limits;
  const isUnknown = edges.from === undefined && edges.to === undefined;
  return { from: isUnknown && last - first > blockSpan ? from : first, to: last };
}

/** Whether the range is wider than the endpoint allows, so that its interval must be halved. */
export function isTooWide({ endpoint }: Reading, range: Interval): boolean {
  return range.to - range.from > (endpoint.limits.blockSpan ?? Number.POSITIVE_INFINITY);
}

/**
 * The range without an extra block beside the interval, first the one below it; undefined where it
 * has none, or where ranges are known to need it.
 */
export function withoutMargin(
  { endpoint, settings }: Reading,
  { from, to }: Interval,
  range: Interval,
): Interval | undefined {
  const edges = settings.facts.edges(endpoint.path);
  if (edges.from !== false && range.from < from) return { from, to: range.to };
  if (edges.to !== false && range.to > to) return { from: range.from, to };
  return undefined;
}

/**
 * Whether records at the first or last block of the interval may be hidden: ranges may exclude that
 * block, and the range has no extra block beside it, because the span or the service does not allow
 * it.
 */
export function isEdgeHidden(
  { endpoint, settings }: Reading,
  { from, to }: Interval,
  range: Interval,
): boolean {
  if (endpoint.axis === 'zone' || settings.isExact === true) return false;
  const edges = settings.facts.edges(endpoint.path);
  const hidesFirst = edges.from !== true && from > 0 && range.from === from;
  return hidesFirst || (edges.to !== true && range.to === to);
}

/** Whether the range begins at block 0, and no record has shown yet if ranges include theirs. */
export function isStartUnknown({ endpoint, settings }: Reading, { from }: Interval): boolean {
  if (endpoint.axis === 'zone' || settings.isExact === true) return false;
  return from === 0 && settings.facts.edges(endpoint.path).from === undefined;
}

/** Lists whose ranges may exclude their edges. */
function isRangedByBlocks({ axis, list }: Endpoint): boolean {
  return axis !== 'zone' && list === 'ranged';
}

/**
 * The parts of a complete part. If ranges of its list exclude their first block, no range shows
 * block 0, which is `depth_limited` with the reason.
 */
export function withoutHiddenStart(
  part: FetchedPart,
  facts: ListFacts,
  reason: string,
): FetchedPart[] {
  const { slice, status, records } = part;
  const { entry, endpoint } = slice.list;
  const { from, to } = slice.interval;
  const isRead = from === 0 && status === 'complete' && isRangedByBlocks(entry);
  if (!isRead || !facts.isStartExcluded(endpoint) || records.some((record) => record.height === 0))
    return [part];
  const start = { ...slice, interval: { from: 0, to: 0 } };
  const hidden = { ...part, slice: start, status: 'depth_limited', reason, records: [] } as const;
  if (to === 0) return [hidden];
  const rest = { ...part, slice: { ...slice, interval: { from: 1, to } } };
  return [rest, { ...hidden, pending: [], requests: 0 }];
}
