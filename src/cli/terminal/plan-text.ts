import { grouped } from '../../coverage/grouped.ts';
import type { Price, PricedRequest } from '../../plan/estimate.ts';
import { cheaperByBlock, methodOf } from '../../plan/methods.ts';
import type { NoBlocks, Plan } from '../../plan/plan.ts';
import type { PricedPlan } from '../../run/run-job.ts';
import { counted, heights, many } from './console.ts';

/** A priced plan as lines of text: the heads, one line per dataset, then the total. */
export function planText(priced: PricedPlan, lists = datasetLines(priced)): string[] {
  const { plan, estimate, chainCheck } = priced;
  return [
    ...headLines(plan),
    ...changedLines(chainCheck),
    ...probeLines(estimate),
    ...lists,
    estimate.requests.every(({ counts }) => counts.slices === 0)
      ? nothingText(plan)
      : totalText(estimate),
    ...blockListLines(estimate.requests),
  ];
}

/** The lists of a plan, with a paragraph for each. */
export function listLines({ plan, estimate }: PricedPlan): string[] {
  return estimate.requests.flatMap((request) => requestLines(request, plan.isAgain));
}

/** One line per dataset, and one for each interval that no list can return. */
function datasetLines({ plan, estimate: { requests } }: PricedPlan): string[] {
  const datasets = new Set(requests.map(({ request }) => request.dataset));
  return [...datasets].flatMap((dataset) => {
    const lists = requests.filter(({ request }) => request.dataset === dataset);
    const beyond = lists.flatMap(beyondLines);
    return [`  ${dataset}: ${datasetText(lists, plan.isAgain)}`, ...new Set(beyond)];
  });
}

function datasetText(lists: readonly PricedRequest[], isAgain: boolean): string {
  const intervals = lists.flatMap(({ interval }) => interval ?? []);
  const [first] = lists;
  if (intervals.length === 0) return NO_BLOCKS[first?.noBlocks ?? 'above-head'];
  const from = Math.min(...intervals.map((interval) => interval.from));
  const to = Math.max(...intervals.map((interval) => interval.to));
  const slices = lists.reduce((sum, list) => {
    return sum + reachable(list);
  }, 0);
  const requests = lists.reduce((sum, { price }) => sum + price.requests, 0);
  const isOpen = lists.some(({ price }) => price.rows === undefined);
  const total = lists.reduce((sum, list) => sum + list.keyBlocks, 0);
  const covered = lists.reduce((sum, list) => sum + list.covered, 0);
  const share = covered === 0 ? '' : shareText({ keyBlocks: total, covered }, isAgain);
  const size = `${many(lists.length, 'list')}, blocks ${heights({ from, to })}${share}`;
  if (slices === 0 && !isOpen) return `${size}: nothing to fetch`;
  const rows = lists.reduce((sum, { price }) => sum + (price.rows ?? 0), 0);
  const note = lists.some(({ isFound }) => isFound) ? ', and look-ups of keys in landed rows' : '';
  const price = isOpen ? { requests, rows: undefined } : { requests, rows };
  return `${size}: ${many(slices, 'slice')}, ${requestsText(price)}${isOpen ? note : ''}`;
}

function headLines({ heads, newestHeadSeen, beyondHead }: Plan): string[] {
  return AXES.flatMap((axis) => {
    const chain = heads[axis];
    if (chain === undefined) return [];
    if (chain.head < 0) return ['The zone chain has no blocks yet.'];
    const name = axis === 'primary' ? 'Head' : 'Zone head';
    const final = `records below ${counted(chain.safe)} are final (the safe height).`;
    const lines = [`${name} ${counted(chain.head)}; ${final}`];
    const last = beyondHead[axis];
    if (last !== undefined) {
      lines.push(
        `Blocks up to ${counted(last)} were requested, but the chain ends at block ` +
          `${counted(chain.head)}: the range is cut there.`,
      );
    }
    const seen = newestHeadSeen[axis] ?? -1;
    if (seen > chain.head) {
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
  return [...grouped(changed, ([, height]) => height)].map(([height, datasets]) => {
    const names = datasets.map(([name]) => name).join(', ');
    const again = `blocks from ${counted(height)} on are fetched again`;
    return `The chain was reorganised after ${names} had been read: ${again}.`;
  });
}

function requestLines(estimate: PricedRequest, isAgain: boolean): string[] {
  const { request, list, interval, noBlocks, counts, isFound } = estimate;
  const { endpoint, variant } = list;
  const filter = variant === '' ? '' : ` (${variant})`;
  const lines = [`  ${request.dataset}${filter} from ${endpoint}: ${methodOf(list.entry)}`];
  if (interval === undefined) {
    return [...lines, `    ${NO_BLOCKS[noBlocks ?? 'above-head']}`];
  }
  const isSnapshot = list.entry.list === 'snapshot';
  const blocks = isSnapshot ? `at block ${counted(interval.to)}` : `blocks ${heights(interval)}`;
  lines.push(`    ${blocks}, ${keysText(estimate)}${shareText(estimate, isAgain)}`);
  lines.push(...beyondLines(estimate));
  const reached = reachable(estimate);
  if (reached === 0 && estimate.price.requests === 0) {
    const isOpen = isFound && estimate.price.rows === undefined;
    return [...lines, isOpen ? '    the number of keys is known only after rows land' : NOTHING];
  }
  const open = counts.provisional;
  const again = open === 0 ? '' : `, ${open} of them above the safe height, fetched by every run`;
  const more = isFound ? ', and more for keys in rows that are still to land' : '';
  lines.push(`    ${many(reached, 'slice')}${again}${more}, ${requestsText(estimate.price)}`);
  return lines;
}

/** A line for each interval that no list can return. */
function beyondLines({ counts }: PricedRequest): string[] {
  return counts.unreachable.map(({ reason, ...part }) => {
    return `    unreachable: blocks ${heights(part)}: ${reason}`;
  });
}

function reachable({ counts }: PricedRequest): number {
  return counts.slices - counts.unreachable.length;
}

/** Where lists by address take more requests than there are blocks, lists of blocks are named. */
function blockListLines(requests: readonly PricedRequest[]): string[] {
  return cheaperByBlock(requests).map(({ dataset, blocks, path }) => {
    const price = `a request or more for each of ${counted(blocks)} blocks, for all addresses`;
    return `${dataset} may cost less by block: ${path} takes ${price}.`;
  });
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

type Covered = Pick<PricedRequest, 'keyBlocks' | 'covered'>;

function shareText({ keyBlocks: total, covered }: Covered, isAgain: boolean): string {
  if (total === 0) return '';
  const share = Math.floor((covered / total) * 100);
  if (!isAgain) return `, ${share} % complete already`;
  return share === 0 ? '' : `, ${share} % complete already and fetched again`;
}

function requestsText(price: Pick<Price, 'requests' | 'rows'>): string {
  if (price.rows === undefined)
    return `requests not known yet (${counted(price.requests)} or more)`;
  return `about ${many(price.requests, 'request')} for ${many(price.rows, 'row')}`;
}

/** Why a plan without slices has none. */
export function nothingText(plan: PricedPlan['plan']): string {
  const reasons = new Set(plan.requests.map(({ noBlocks }) => noBlocks));
  if (reasons.size === 0) return 'No list to fetch.';
  if (reasons.has(undefined)) {
    return reasons.size === 1
      ? 'Nothing to fetch: everything requested is complete.'
      : 'Nothing to fetch: the requests that have blocks in this range are complete.';
  }
  if (reasons.has('not-final')) return 'Nothing to fetch yet: no block of the range is final.';
  if (reasons.has('above-head')) return 'Nothing to fetch yet: the range begins above the head.';
  return 'Nothing to fetch: the range has no block of any request of the pipeline.';
}

/** A lower bound is not shown as a total: most runs send many times more. */
function totalText({ total, minutes, requests }: PricedPlan['estimate']): string {
  if (total.rows === undefined) {
    const open = requests.filter(({ price }) => price.rows === undefined).length;
    const verb = open === 1 ? 'has' : 'have';
    const lists = `${many(open, 'list')} of ${counted(requests.length)} ${verb}`;
    return `Total: not known yet, because ${lists} no landed rows.`;
  }
  const size = total.bytes === undefined ? '' : `, ${counted(total.bytes / 1024)} KiB of Parquet`;
  const time = minutes < 1 ? 'under a minute' : `about ${many(minutes, 'minute')}`;
  return `Total: ${requestsText(total)}${size}; ${time} at the allowed rate.`;
}
