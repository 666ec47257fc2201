import type { Endpoint } from '../../catalogue/entry.ts';
import { paramOf } from '../../catalogue/index.ts';
import type { PricedRequest } from '../../plan/estimate.ts';
import type { NoBlocks, Plan } from '../../plan/plan.ts';
import type { PricedPlan } from '../../run/run.ts';
import { counted, heights, many } from './console.ts';

/** A priced plan as lines of text: one paragraph per request, then the total. */
export function planText({ plan, estimate, chainCheck }: PricedPlan): string[] {
  return [
    ...headLines(plan),
    ...changedLines(chainCheck),
    ...probeLines(estimate),
    ...estimate.requests.flatMap((each) => requestLines(each, plan.isAgain)),
    plan.slices.length === 0 ? nothingText(plan) : totalText(estimate),
  ];
}

function headLines({ heads, newestHeadSeen, beyondHead }: Plan): string[] {
  return AXES.flatMap((axis) => {
    const known = heads[axis];
    if (known === undefined) return [];
    if (known.head < 0) return ['The zone chain has no blocks yet.'];
    const name = axis === 'primary' ? 'Head' : 'Zone head';
    const final = `records below ${counted(known.safe)} are final (the safe height).`;
    const lines = [`${name} ${counted(known.head)}; ${final}`];
    const last = beyondHead[axis];
    if (last !== undefined) {
      lines.push(
        `Blocks up to ${counted(last)} were requested, but the chain ends at block ` +
          `${counted(known.head)}: the range is cut there.`,
      );
    }
    const seen = newestHeadSeen[axis] ?? -1;
    if (seen > known.head) {
      lines.push(
        `An earlier run in this data root saw the head at ${counted(seen)}. Is this the same ` +
          'chain? Complete ranges are not fetched again.',
      );
    }
    return lines;
  });
}

function probeLines({ probed }: PricedPlan['estimate']): string[] {
  if (probed === undefined) return [];
  if (probed.requests === 0) {
    return ['No list was probed: earlier runs or fixed lengths give all prices.'];
  }
  const sent = many(probed.requests, 'request');
  return [`The probe sent ${sent} (--seed ${probed.seed}) to size the lists without landed rows.`];
}

const AXES = ['primary', 'zone'] as const;

/** One line for each height at which a reorganisation below the safe height begins. */
export function changedLines({ changed }: PricedPlan['chainCheck']): string[] {
  const byHeight = new Map<number, string[]>();
  for (const [dataset, height] of changed) {
    byHeight.set(height, [...(byHeight.get(height) ?? []), dataset]);
  }
  return [...byHeight].map(
    ([height, datasets]) =>
      `The chain was reorganised after ${datasets.join(', ')} had been read: blocks from ` +
      `${counted(height)} on are fetched again.`,
  );
}

function requestLines(of: PricedRequest, isAgain: boolean): string[] {
  const { request, list, interval, noBlocks, slices, isFound } = of;
  const { endpoint, variant } = list;
  const filter = variant === '' ? '' : ` (${variant})`;
  const lines = [`  ${request.dataset}${filter} from ${endpoint}: ${methodOf(list.entry)}`];
  if (interval === undefined) {
    return [...lines, `    ${NO_BLOCKS[noBlocks ?? 'above-head']}`];
  }
  const isSnapshot = list.entry.list === 'snapshot';
  const blocks = isSnapshot ? `at block ${counted(interval.to)}` : `blocks ${heights(interval)}`;
  lines.push(`    ${blocks}, ${keysText(of)}${shareText(of, isAgain)}`);
  const beyond = slices.filter(({ unreachable }) => unreachable !== undefined);
  for (const { interval: part, unreachable } of beyond) {
    lines.push(`    unreachable: blocks ${heights(part)}: ${unreachable}`);
  }
  const reached = slices.length - beyond.length;
  if (reached === 0 && of.price.requests === 0) {
    const isOpen = isFound && of.price.rows === undefined;
    return [...lines, isOpen ? '    the number of keys is known only after rows land' : NOTHING];
  }
  const open = slices.filter((slice) => slice.provisional).length;
  const again = open === 0 ? '' : `, ${open} of them above the safe height, fetched by every run`;
  const more = isFound ? ', and more for keys in rows that are still to land' : '';
  lines.push(`    ${many(reached, 'slice')}${again}${more}, ${requestsText(of.price)}`);
  return lines;
}

const NOTHING = '    nothing to fetch';

const NO_BLOCKS: Readonly<Record<NoBlocks, string>> = {
  'above-head': 'the range begins above the head: nothing to fetch yet',
  'not-final': 'the range begins at or above the safe height: nothing is final yet',
  'outside-range': "the range has none of this request's own blocks: nothing to fetch",
};

function keysText({ request, keys, isFound }: PricedRequest): string {
  if (isFound) return `${many(keys, 'key')} found so far`;
  return request.keySet === undefined ? 'whole chain' : many(keys, 'key');
}

function shareText({ asked, covered }: PricedRequest, isAgain: boolean): string {
  if (asked === 0) return '';
  const share = Math.floor((covered / asked) * 100);
  if (!isAgain) return `, ${share} % complete already`;
  return share === 0 ? '' : `, ${share} % complete already and fetched again`;
}

/** How an endpoint is walked, in words. */
function methodOf(endpoint: Endpoint): string {
  const keys = paramOf(endpoint, 'keys')?.max ?? 0;
  switch (endpoint.list) {
    case 'positional':
      return 'newest first, by page';
    case 'snapshot':
      return 'the whole ranking at the head';
    case 'by-key':
      if (keys === 0) return 'one block per request';
      return keys === 1 ? 'one hash per request' : `up to ${keys} hashes per request`;
    default: {
      const span = endpoint.limits.blockSpan;
      const blocks =
        span === undefined ? 'any range of blocks' : `windows of up to ${counted(span)} blocks`;
      return keys > 1 ? `${blocks}, up to ${keys} keys per request` : blocks;
    }
  }
}

function requestsText(price: PricedPlan['estimate']['total']): string {
  if (price.rows === undefined) return `at least ${many(price.requests, 'request')}`;
  return `about ${many(price.requests, 'request')} for ${many(price.rows, 'row')}`;
}

/** Why a plan without slices has none. */
export function nothingText(plan: PricedPlan['plan']): string {
  const reasons = new Set(plan.requests.map(({ noBlocks }) => noBlocks));
  if (reasons.size === 0) return 'Nothing to fetch: no request of the pipeline covers this range.';
  if (reasons.has(undefined)) {
    return reasons.size === 1
      ? 'Nothing to fetch: everything requested is complete.'
      : 'Nothing to fetch: the requests that have blocks in this range are complete.';
  }
  if (reasons.has('not-final')) return 'Nothing to fetch yet: no block of the range is final.';
  if (reasons.has('above-head')) return 'Nothing to fetch yet: the range begins above the head.';
  return 'Nothing to fetch: the range has no block of any request of the pipeline.';
}

function totalText({ total, minutes, requests }: PricedPlan['estimate']): string {
  const size = total.bytes === undefined ? '' : `, ${counted(total.bytes / 1024)} KiB of Parquet`;
  const isOpen = total.rows === undefined;
  // If some lists are known, the bound only covers the others, so the total is an estimate.
  const isMixed =
    isOpen && requests.some(({ price }) => price.rows !== undefined && price.rows > 0);
  const words = isMixed
    ? `about ${many(total.requests, 'request')}, plus those for lists of unknown length`
    : requestsText(total);
  return `Total: ${words}${size}; ${minutesText(minutes, isOpen)}.`;
}

function minutesText(minutes: number, isOpen: boolean): string {
  if (isOpen && minutes < 1) return 'the time is not known yet';
  const time = minutes < 1 ? 'under a minute' : `about ${many(minutes, 'minute')}`;
  return `${isOpen ? `${many(minutes, 'minute')} or more` : time} at the allowed rate`;
}

/** The priced plan as JSON. */
export function planDocument({ plan, estimate, chainCheck }: PricedPlan): Record<string, unknown> {
  const { probed } = estimate;
  return {
    heads: plan.heads,
    beyondHead: plan.beyondHead,
    reorganised: Object.fromEntries(chainCheck.changed),
    slices: plan.slices.length,
    requests: estimate.total.requests,
    isLowerBound: estimate.total.rows === undefined,
    rows: estimate.total.rows ?? null,
    bytes: estimate.total.bytes ?? null,
    minutes: estimate.minutes,
    probe: probed === undefined ? null : { requests: probed.requests, seed: probed.seed },
    planned: estimate.requests.map((each) => ({
      dataset: each.request.dataset,
      endpoint: each.list.endpoint,
      isFound: each.isFound,
      unreachable: each.slices.flatMap(({ interval, unreachable: reason }) =>
        reason === undefined ? [] : [{ ...interval, reason }],
      ),
      variant: each.list.variant,
      interval: each.interval ?? null,
      noBlocks: each.noBlocks ?? null,
      keys: each.keys,
      slices: each.slices.length,
      provisionalSlices: each.slices.filter((slice) => slice.provisional).length,
      requests: each.price.requests,
      rows: each.price.rows ?? null,
      askedKeyBlocks: each.asked,
      coveredKeyBlocks: each.covered,
    })),
  };
}
