import type { Endpoint } from '../../catalogue/entry.ts';
import { paramOf } from '../../catalogue/index.ts';
import type { PricedRequest } from '../../plan/estimate.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Priced } from '../../run/run.ts';
import { counted, heights, many } from './console.ts';

/** A priced plan in words: per request, then in all. */
export function planText({ plan, estimate, standing }: Priced): string[] {
  return [
    ...headLines(plan),
    ...changedLines(standing),
    ...probeLines(estimate),
    ...estimate.requests.flatMap(requestLines),
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
        `Blocks up to ${counted(last)} are asked, and the chain ends at ${counted(known.head)}: ` +
          'the range is cut there.',
      );
    }
    const seen = newestHeadSeen[axis] ?? -1;
    if (seen > known.head) {
      lines.push(
        `This data root has read a head of ${counted(seen)} before: is it the same chain? What ` +
          'is complete is not fetched again.',
      );
    }
    return lines;
  });
}

function probeLines({ probed }: Priced['estimate']): string[] {
  if (probed === undefined) return [];
  if (probed.requests === 0) return ['No list was probed: the past, or a definition, prices all.'];
  const asked = many(probed.requests, 'request');
  return [`The probe took ${asked} (--seed ${probed.seed}); it prices lists without a past.`];
}

const AXES = ['primary', 'zone'] as const;

/** What a reorganisation below the safe height means, by the height it begins at. */
export function changedLines({ changed }: Priced['standing']): string[] {
  const byHeight = new Map<number, string[]>();
  for (const [dataset, height] of changed) {
    byHeight.set(height, [...(byHeight.get(height) ?? []), dataset]);
  }
  return [...byHeight].map(
    ([height, datasets]) =>
      `The chain was reorganised after ${datasets.join(', ')} had been read: what lies from ` +
      `height ${counted(height)} on is read again.`,
  );
}

function requestLines(of: PricedRequest): string[] {
  const { request, list, keys, interval, slices, asked, covered, isFound } = of;
  const { endpoint, variant } = list;
  const filter = variant === '' ? '' : ` (${variant})`;
  const lines = [`  ${request.dataset}${filter} from ${endpoint}: ${methodOf(list.entry)}`];
  if (interval === undefined) {
    return [...lines, '    the range begins above the head: nothing to fetch yet'];
  }
  const share = asked === 0 ? '' : `, ${Math.floor((covered / asked) * 100)} % complete already`;
  const named = isFound ? `${many(keys, 'key')} found so far` : many(keys, 'key');
  lines.push(`    blocks ${heights(interval)}, ${named}${share}`);
  const beyond = slices.filter(({ unreachable }) => unreachable !== undefined);
  for (const { interval: part, unreachable } of beyond) {
    lines.push(`    unreachable: blocks ${heights(part)}: ${unreachable}`);
  }
  const reached = slices.length - beyond.length;
  if (reached === 0 && of.price.requests === 0) {
    const isOpen = isFound && of.price.rows === undefined;
    return [...lines, isOpen ? '    how much is not known before rows have landed' : NOTHING];
  }
  const open = slices.filter((slice) => slice.provisional).length;
  const again = open === 0 ? '' : `, ${open} of them above the safe height and fetched every run`;
  const more = isFound ? ', and as many as the rows still to be landed name' : '';
  lines.push(`    ${many(reached, 'slice')}${again}${more}, ${requestsText(of.price)}`);
  return lines;
}

const NOTHING = '    nothing to fetch';

/** How an endpoint is walked, in words. */
function methodOf(endpoint: Endpoint): string {
  const keys = paramOf(endpoint, 'keys')?.max ?? 0;
  switch (endpoint.list) {
    case 'positional':
      return 'newest first, stitched by places while it moves';
    case 'snapshot':
      return 'a whole reading as of the head';
    case 'by-key':
      if (keys === 0) return 'block by block';
      return keys === 1 ? 'by hash, one a request' : `by hash, up to ${keys} a request`;
    default: {
      const span = endpoint.limits.blockSpan;
      const blocks = span === undefined ? 'any interval' : `windows of up to ${counted(span)}`;
      return keys > 1 ? `${blocks}, up to ${keys} keys a request` : blocks;
    }
  }
}

function requestsText(price: Priced['estimate']['total']): string {
  if (price.rows === undefined) return `at least ${many(price.requests, 'request')}`;
  return `about ${many(price.requests, 'request')} for ${many(price.rows, 'row')}`;
}

/** Why a plan without slices has none. */
export function nothingText(plan: Priced['plan']): string {
  const isAbove = plan.requests.every(({ interval }) => interval === undefined);
  return isAbove
    ? 'Nothing to fetch yet: the range begins above the head.'
    : 'Nothing to fetch: all that was asked is complete.';
}

function totalText({ total, minutes, requests }: Priced['estimate']): string {
  const size = total.bytes === undefined ? '' : `, ${counted(total.bytes / 1024)} KiB of Parquet`;
  const isOpen = total.rows === undefined;
  // Where something is known already, its part is an expectation and no bound.
  const isMixed =
    isOpen && requests.some(({ price }) => price.rows !== undefined && price.rows > 0);
  const words = isMixed
    ? `some ${many(total.requests, 'request')}, and more where nothing is known yet`
    : requestsText(total);
  return `In all ${words}${size}, ${minutesText(minutes, isOpen)} at the rate allowed.`;
}

function minutesText(minutes: number, isOpen: boolean): string {
  if (isOpen)
    return minutes < 1 ? 'how long is not known yet' : `${many(minutes, 'minute')} or more`;
  return minutes < 1 ? 'under a minute' : `about ${many(minutes, 'minute')}`;
}

/** The same for machines. */
export function planDocument({ plan, estimate, standing }: Priced): Record<string, unknown> {
  const { probed } = estimate;
  return {
    heads: plan.heads,
    beyondHead: plan.beyondHead,
    reorganised: Object.fromEntries(standing.changed),
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
