import type { Priced } from '../run.ts';
import { counted, heights, many } from './console.ts';

/** A priced plan in words: per request, then in all. */
export function planText({ plan, estimate }: Priced): string[] {
  const { head, safe } = plan.heads;
  const lines = [
    `Head ${counted(head)}; records below ${counted(safe)} are final (the safe height).`,
  ];
  if (plan.newestHeadSeen > head) {
    lines.push(
      `This data root has read a head of ${counted(plan.newestHeadSeen)} before: is it the same ` +
        'chain? What is complete is not fetched again.',
    );
  }
  for (const {
    request,
    variant,
    keys,
    interval,
    slices,
    asked,
    covered,
    price,
  } of estimate.requests) {
    const filter = variant.id === '' ? '' : ` (${variant.id})`;
    lines.push(`  ${request.dataset}${filter} from ${request.endpoint}`);
    if (interval === undefined) {
      lines.push('    the range begins above the head: nothing to fetch yet');
      continue;
    }
    const share = asked === 0 ? '' : `, ${Math.floor((covered / asked) * 100)} % complete already`;
    lines.push(`    blocks ${heights(interval)}, ${many(keys, 'key')}${share}`);
    if (slices.length === 0) {
      lines.push('    nothing to fetch');
      continue;
    }
    const open = slices.filter((slice) => slice.provisional).length;
    const again = open === 0 ? '' : `, ${open} of them above the safe height and fetched every run`;
    lines.push(`    ${many(slices.length, 'slice')}${again}, ${requestsText(price)}`);
  }
  lines.push(plan.slices.length === 0 ? nothingText(plan) : totalText(estimate));
  return lines;
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

function totalText({ total, minutes }: Priced['estimate']): string {
  const size = total.bytes === undefined ? '' : `, ${counted(total.bytes / 1024)} KiB of Parquet`;
  return `In all ${requestsText(total)}${size}, ${minutesText(minutes)} at the rate allowed.`;
}

function minutesText(minutes: number): string {
  if (minutes < 1) return 'under a minute';
  return `about ${many(minutes, 'minute')}`;
}

/** The same for machines. */
export function planDocument({ plan, estimate }: Priced): Record<string, unknown> {
  return {
    heads: plan.heads,
    slices: plan.slices.length,
    requests: estimate.total.requests,
    isLowerBound: estimate.total.rows === undefined,
    rows: estimate.total.rows ?? null,
    bytes: estimate.total.bytes ?? null,
    minutes: estimate.minutes,
    planned: estimate.requests.map((each) => ({
      dataset: each.request.dataset,
      endpoint: each.request.endpoint,
      variant: each.variant.id,
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
