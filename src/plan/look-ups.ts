import { contains, hullOf, type Interval, normalise } from '../coverage/ranges.ts';
import { isResting } from '../coverage/unfinished.ts';
import type { PipelineRequest } from '../pipeline/requests.ts';
import { Pieces } from './pieces.ts';
import type { Heads, NoBlocks, PlanInput, PlannedRequest } from './plan.ts';
import type { Way } from './routes.ts';

/** Plans look-ups, whose keys come from landed rows, and snapshots. */

/** The input for planning one list of a request. */
export interface ListPlanInput {
  readonly input: PlanInput;
  readonly request: PipelineRequest;
  readonly heads: Heads;
  /** The request's own way first. */
  readonly ways: readonly Way[];
}

/** Blocks of the windows of look-ups. Wider windows fill more of the groups of keys. */
const FOUND_BLOCKS = 100_000;

/**
 * A key whose block is final is looked up until all of its coverage is complete; one with an
 * unfinished record is looked up at growing intervals. Its slice contains
 * the parts that are not, also above the safe height: a look-up by hash has no block bounds, and
 * proves that the key has no record outside of the slice. Otherwise the end of an earlier
 * provisional look-up would stay provisional, and a repair would look for a record where none is.
 */
export function planFound(options: ListPlanInput, asking: Interval | NoBlocks): PlannedRequest {
  const { input, request, heads, ways } = options;
  const [way] = ways;
  if (way === undefined) throw new Error('a request has no way to be asked');
  const interval = typeof asking === 'string' ? undefined : asking;
  const { list, shape } = way;
  const pieces = new Pieces(list, shape);
  let keysInRange = 0;
  let keysInRows = 0;
  let keysLookedUp = 0;
  for (const { height, keys } of input.done?.get(request) ?? []) {
    keysInRows += keys;
    keysLookedUp += keys;
    if (interval !== undefined && contains(interval, height)) keysInRange += keys;
  }
  let missing = 0;
  for (const { key, height, lookedUpIn } of input.rowKeys.get(request) ?? []) {
    const isLookedUp = lookedUpIn?.includes(list.variant) === true;
    keysInRows += 1;
    keysLookedUp += isLookedUp ? 1 : 0;
    if (interval === undefined || height < interval.from || height > interval.to) continue;
    const provisional = height >= heads.safe;
    if (!provisional) keysInRange += 1;
    const parts = provisional ? [] : input.coverage.get(list, key);
    const open = parts.filter(({ status }) => status !== 'complete');
    const isKnown = open.length === 0 && isLookedUp;
    if (!isKnown && !provisional) missing += 1;
    const isIdle = open.length > 0 && open.every((part) => isResting(part, height, heads.head));
    if ((isKnown || isIdle) && !provisional && input.isAgain !== true) continue;
    const first = Math.floor(height / FOUND_BLOCKS) * FOUND_BLOCKS;
    const last = provisional ? interval.to : Math.min(interval.to, heads.safe - 1);
    const from = Math.max(first, interval.from, provisional ? heads.safe : 0);
    const to = Math.min(first + FOUND_BLOCKS - 1, last);
    pieces.add(hullOf(normalise([{ from, to }, ...open])), [key], provisional);
  }
  const slices = pieces.slices();
  const lookedUp = keysInRows === 0 ? 1 : keysLookedUp / keysInRows;
  const more = { keys: keysInRange, asking, slices, keyBlocks: keysInRange, missing };
  return { ...planned({ ...options, isFound: true }, way, more), lookedUp };
}

const MINUTE_MS = 60_000;

/** A snapshot is read again if the newest complete one is too old. */
export function planSnapshot(options: ListPlanInput): PlannedRequest {
  const { input, request, heads, ways } = options;
  const [way] = ways;
  if (way === undefined) throw new Error('a request has no way to be asked');
  const { list } = way;
  const interval = { from: heads.head, to: heads.head };
  const oldestMs = input.nowMs - (request.maxAgeMinutes ?? 0) * MINUTE_MS;
  const isFresh = input.coverage
    .get(list, '')
    .some(
      ({ status, readAtMs, to }) =>
        status === 'complete' && (readAtMs >= oldestMs || to === heads.head),
    );
  const slice = { list, keys: [''], interval, provisional: false };
  const slices = isFresh && input.isAgain !== true ? [] : [slice];
  const missing = isFresh ? 0 : 1;
  const more = { keys: 1, asking: interval, slices, keyBlocks: 1, missing };
  return planned({ ...options, isFound: false }, way, more);
}

export function planned(
  options: { readonly request: PipelineRequest; readonly isFound: boolean },
  way: Way,
  more: Pick<PlannedRequest, 'keys' | 'slices' | 'keyBlocks'> & {
    readonly asking: Interval | NoBlocks | undefined;
    readonly missing: number;
  },
): PlannedRequest {
  const { missing, asking, ...rest } = more;
  return {
    request: options.request,
    list: way.list,
    pageSize: way.pageSize,
    isFound: options.isFound,
    ...(typeof asking === 'string'
      ? { interval: undefined, noBlocks: asking }
      : { interval: asking }),
    ...rest,
    covered: more.keyBlocks - missing,
  };
}
